import { fieldNameOf, fieldSteps } from '@sluice/types';
import type { Fields } from '../requests';
import type { CustomFields, Declaration } from './declaration';

/*
 * Fields that an account adds, where a provider keeps them apart. Above this folder they have one name, the one that the field list offers;
 * only here is it known where they live in a body and in a reply.
 */

type Custom = CustomFields | undefined;

/** Names that are custom fields wherever they stand; others need the path. */
function ownNames({ names }: CustomFields): (name: string) => boolean {
  const form = names === undefined ? undefined : new RegExp(`^(?:${names})$`);
  return (name) => form?.test(name) === true;
}

/** The name under which a custom field is offered. */
export function offeredName(custom: CustomFields, name: string): string {
  if (custom.form === 'name') return `${custom.at}.${name}`;
  return ownNames(custom)(name) ? name : fieldNameOf([custom.at, name]);
}

/** The field that a name means: a custom field has the offered name, whichever of its spellings is used. */
export function fieldOf({ objects }: Declaration, objectName: string, name: string): string | undefined {
  const steps = fieldSteps(name);
  const [top = '', inside, ...deeper] = steps;
  const custom = (Object.hasOwn(objects, objectName) ? objects[objectName] : objects['*'])?.custom;
  if (custom === undefined) return fieldNameOf(steps);
  const isOwn = ownNames(custom);
  if (custom.form === 'name' && isOwn(top)) return fieldNameOf([offeredName(custom, top), ...steps.slice(1)]);
  if (top !== custom.at || inside === undefined) return fieldNameOf(steps);
  if (isOwn(inside)) return fieldNameOf([offeredName(custom, inside), ...deeper]);
  return custom.form === 'pairs' ? undefined : fieldNameOf(steps);
}

/** The name that a filter has for a custom field; undefined for every other field. */
export function filterName(custom: Custom, field: string): string | undefined {
  const prefix = custom?.form === 'name' ? `${custom.at}.` : '';
  const name = field.startsWith(prefix) ? field.slice(prefix.length) : '';
  return custom && ownNames(custom)(name) ? name : undefined;
}

/** Fields as the provider's body has them. */
export function toSent(custom: Custom, fields: Fields): Fields {
  if (custom === undefined || custom.form === 'name') return fields;
  const isOwn = ownNames(custom);
  const own = Object.entries(fields).filter(([name]) => isOwn(name));
  if (own.length === 0) return fields;
  const others: Fields = Object.fromEntries(Object.entries(fields).filter(([name]) => !isOwn(name)));
  const given = others[custom.at];
  if (custom.form !== 'pairs') return { ...others, [custom.at]: { ...(given as Fields), ...Object.fromEntries(own) } };
  const pairs = own.map(([id, value]) => ({ id: Number.isSafeInteger(Number(id)) ? Number(id) : id, value }));
  return { ...others, [custom.at]: [...(Array.isArray(given) ? (given as unknown[]) : []), ...pairs] };
}

/** Fields of a reply, with those that the provider keeps apart under their own names too. */
export function withCustom(custom: Custom, fields: Fields): Fields {
  const given = custom && fields[custom.at];
  if (custom === undefined || custom.form === 'name' || typeof given !== 'object' || given === null) return fields;
  const pairs = custom.form === 'pairs' ? (Object.values(given) as ({ id?: unknown; value?: unknown } | null)[]) : [];
  const members =
    custom.form === 'pairs' ? pairs.map((pair) => [String(pair?.id), pair?.value]) : Object.entries(given);
  const isOwn = ownNames(custom);
  return { ...Object.fromEntries(members.filter(([name]) => isOwn(String(name)))), ...fields };
}
