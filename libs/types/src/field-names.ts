import type { Issue } from '@sluice/errors';
import { limits } from './limits';

/** Names that would reach into an object's prototype. */
const hostileNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a name reaches into the prototype of an object that is built or copied carelessly. Refused wherever a name is sent. */
export function isHostileName(name: string): boolean {
  return hostileNames.has(name);
}

/** A member's path as issues spell it: `record.email`, `record["first name"]`, `batch[3].record.id`. */
export function pathOf(base: string, name: string | number): string {
  if (typeof name === 'number') return `${base}[${name}]`;
  return /^[\w$-]+$/.test(name) ? (base === '' ? name : `${base}.${name}`) : `${base}[${JSON.stringify(name)}]`;
}

/**
 * An issue for each member name of `value`, at any depth, that is empty, holds a NUL or reaches into a prototype; at most
 * `limits.issuesMax`. Paths are made of faults only: a value may have 250 000 parts.
 */
export function checkNames(value: unknown, path: string): Issue[] {
  const issues: Issue[] = [];
  const steps: (string | number)[] = [];
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const isList = Array.isArray(part);
    for (const [name, member] of isList ? part.entries() : Object.entries(part)) {
      if (issues.length === limits.issuesMax) return;
      steps.push(name);
      const rule = isList ? undefined : nameRule(String(name));
      if (rule === undefined) walk(member);
      else issues.push({ in: 'body', name: steps.reduce(pathOf, path), detail: rule });
      steps.pop();
    }
  };
  walk(value);
  return issues;
}

/** Whether no member may be called so: empty, with a NUL, or reaching into a prototype. */
export function isRefusedName(name: string): boolean {
  return nameRule(name) !== undefined;
}

function nameRule(name: string): string | undefined {
  if (name === '') return 'has an empty name';
  if (name.includes('\0')) return 'has a NUL in its name';
  return isHostileName(name) ? 'has a name that is not allowed' : undefined;
}

/**
 * How a provider distinguishes the names of its fields. `case-insensitive`: `phone` is `Phone`. Data of a connector; names that
 * a builder maps to fields are the builder's own and compare exactly at every provider.
 */
export type FieldNameForm = 'exact' | 'case-insensitive';

/** A provider's field name in the form in which all spellings of one field are equal. Not a name to send. */
export function normalFieldName(name: string, form: FieldNameForm): string {
  return form === 'exact' ? name : name.toLowerCase();
}

const bracketed = /^\$(?:\['[^'\]]+'\])+$/;
const step = /\['([^'\]]+)'\]/g;

/**
 * Why a name that begins like JSONPath is none that we take; undefined for one we take, and for every plain name.
 * The form is brackets with quoted names: `$['address']['city']`. No indexes, wildcards, escapes, nor `'` and `]` in a name.
 * Source: published API, manifest, IntegrationField.
 */
export function jsonPathFault(name: string): string | undefined {
  if (!/^\$[.['"]/.test(name)) return undefined;
  if (!bracketed.test(name)) return "must be JSONPath in brackets, such as $['address']['city']";
  return fieldSteps(name).some(isRefusedName) ? 'leads to a name that is not allowed' : undefined;
}

/** The names that lead to a field: those of a JSONPath in brackets, else the name itself. */
export function fieldSteps(name: string): readonly string[] {
  return bracketed.test(name) ? [...name.matchAll(step)].map(([, inside = '']) => inside) : [name];
}

/** The name of the field that the steps lead to: a plain one at the top of a record, a path in brackets below it. */
export function fieldNameOf(steps: readonly string[]): string {
  return steps.length === 1 ? String(steps[0]) : `$${steps.map((one) => `['${one}']`).join('')}`;
}

/**
 * The field that a name means at a provider, in the provider's spelling of it; undefined for a path that means none there.
 * What stays a path leads into an object of the record.
 */
export type FieldOf = (name: string) => string | undefined;

/** A path of one step is the field at the top, any other leads into an object of the record. */
export const nestedField: FieldOf = (name) => fieldNameOf(fieldSteps(name));

/** What the steps lead to; undefined where they lead nowhere. Own members only, so no name reaches into a prototype. */
export function memberAt(value: unknown, steps: readonly string[]): unknown {
  let at = value;
  for (const name of steps) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at;
}

type Members<Value> = Readonly<Record<string, Value>>;

/** A copy with the value where the steps lead, in objects that are made on the way; undefined where something is already. */
export function withMemberAt<Value>(
  members: Members<Value>,
  steps: readonly string[],
  value: Value,
): Members<Value> | undefined {
  const [name = '', ...deeper] = steps;
  const own = Object.hasOwn(members, name) ? members[name] : undefined;
  if (deeper.length === 0) return own === undefined ? { ...members, [name]: value } : undefined;
  if (own !== undefined && (typeof own !== 'object' || own === null || Array.isArray(own))) return undefined;
  const inner = withMemberAt((own ?? {}) as Members<Value>, deeper, value);
  return inner && { ...members, [name]: inner as Value };
}

/** A copy without what the steps lead to, and without objects that this leaves empty. */
export function withoutMemberAt<Value>(members: Members<Value>, steps: readonly string[]): Members<Value> {
  const [name = '', ...deeper] = steps;
  const { [name]: own, ...others } = members;
  if (deeper.length === 0 || typeof own !== 'object' || own === null) return others;
  const inner = withoutMemberAt(own as Members<Value>, deeper);
  return Object.keys(inner).length === 0 ? others : { ...members, [name]: inner as Value };
}
