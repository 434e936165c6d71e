import { fieldNameOf, fieldSteps } from '@sluice/types';
import { isJson } from '../http-client';
import type { Fields } from '../requests';
import type { CustomFields, Declaration, DeclaredObject } from './declaration';
import { plain, sameValue } from './same-value';

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
  if (custom === undefined) return fields;
  // The object itself would replace all that the record has.
  if (custom.form === 'name') {
    const { [custom.at]: given, ...rest } = fields;
    const named = isJson(given) && Object.entries(given).map(([name, value]) => [offeredName(custom, name), value]);
    return named ? { ...rest, ...(Object.fromEntries(named) as Fields) } : fields;
  }
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
  if (custom === undefined || custom.form === 'name') return fields;
  const isOwn = ownNames(custom);
  return { ...Object.fromEntries(keptApart(custom, fields).filter(([name]) => isOwn(name))), ...fields };
}

function keptApart({ at, form }: CustomFields, fields: Fields): (readonly [name: string, value: unknown])[] {
  const given = fields[at];
  if (typeof given !== 'object' || given === null) return [];
  if (form !== 'pairs') return Object.entries(given);
  const pairs = Object.values(given) as ({ id?: unknown; value?: unknown } | null)[];
  return pairs.map((pair) => [String(pair?.id), pair?.value]);
}

/**
 * Custom fields, and those to be confirmed, whose value the reply to a write shows otherwise than it was sent. A provider that knows no such choice drops it without an
 * error, and answers with what was there before. What it shows in a form of its own, a list or an object, says nothing unless it is empty.
 * Source: docs/providers/field-reports.md, Z5, Z8.
 */
export function droppedFields({ custom, confirmed = [] }: DeclaredObject, sent: Fields, reply: Fields): string[] {
  if (custom === undefined && confirmed.length === 0) return [];
  const isOwn =
    custom?.form === 'name' ? (name: string) => name.startsWith(`${custom.at}.`) : custom && ownNames(custom);
  const all = (fields: Fields) => [
    ...(custom ? keptApart(custom, fields) : []),
    ...Object.entries(fields).filter(([name]) => isOwn?.(name) === true || confirmed.includes(name)),
  ];
  const shown = new Map(all(reply));
  return all(sent).flatMap(([name, value]) => (shown.has(name) && isDropped(value, shown.get(name)) ? name : []));
}

function isDropped(sent: unknown, shown: unknown): boolean {
  if (isEmpty(sent) || isEmpty(shown)) return !isEmpty(sent) && isEmpty(shown);
  return typeof sent !== 'object' && typeof shown !== 'object' && !sameValue(sent, shown);
}

function isEmpty(value: unknown): boolean {
  return plain(value) === '' || (Array.isArray(value) && value.length === 0);
}
