import { memberAt } from '@sluice/types';
import type { ProviderFailure } from '../results';
import type { Declaration, DeclaredFilter, DeclaredObject, Template } from './declaration';

/** `{name}` in a text. */
const placeholder = /\{([A-Za-z][A-Za-z0-9_]*)\}/g;

/** Values of names: texts for `{name}`, whole values for `$name`. */
interface Values {
  readonly texts: Readonly<Record<string, string>>;
  readonly wholes?: Readonly<Record<string, unknown>>;
}

/** The names in a text. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(placeholder)].map(([, name = '']) => name);
}

/** A text with its names replaced, once: what a value brings in is not looked at again. A name without a value stays. */
export function fillText(text: string, texts: Values['texts'], written: (value: string) => string = same): string {
  return text.replace(placeholder, (whole, name: string) => {
    const value = Object.hasOwn(texts, name) ? texts[name] : undefined;
    return value === undefined ? whole : written(value);
  });
}

const same = (value: string): string => value;

/** Characters that some server between may take for the end of a segment, however they are written. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const unsafe = /[\u0000-\u001f\u007f/\\?#%]/;

/** Why a value cannot be a segment of a path; undefined when it can. Source: reliability checklist, item 27. */
export function segmentFault(value: string): string | undefined {
  if (value === '' || /^\.+$/.test(value)) return 'is empty or consists of dots';
  if (unsafe.test(value) || !value.isWellFormed()) return 'has a character that no part of an address can have';
  return undefined;
}

/** A path with its names replaced, percent-encoded: a value can never add a segment. */
export function fillPath(path: string, texts: Values['texts']): string {
  return fillText(path, texts, encodeURIComponent);
}

/** A body with its names replaced. A whole value that is a list, placed in a list, is spread into it. */
export function fillBody(template: Template, values: Values): unknown {
  if (typeof template === 'string') return fillWhole(template, values);
  if (Array.isArray(template)) return fillList(template as readonly Template[], values);
  if (typeof template !== 'object' || template === null) return template;
  // fromEntries defines members, so a field named __proto__ stays a field.
  return Object.fromEntries(
    Object.entries(template).map(([name, inner]) => [fillText(name, values.texts), fillBody(inner, values)]),
  );
}

function fillList(items: readonly Template[], values: Values): unknown[] {
  return items.flatMap((item) => {
    const filled = fillBody(item, values);
    return typeof item === 'string' && item.startsWith('$') && Array.isArray(filled) ? (filled as unknown[]) : [filled];
  });
}

function fillWhole(text: string, { texts, wholes = {} }: Values): unknown {
  const name = text.startsWith('$') ? text.slice(1) : undefined;
  return name !== undefined && Object.hasOwn(wholes, name) ? wholes[name] : fillText(text, texts);
}

/** Every text of a template, names of members included. */
export function textsOf(template: Template | undefined): string[] {
  if (typeof template === 'string') return [template];
  if (Array.isArray(template)) return (template as readonly Template[]).flatMap(textsOf);
  if (typeof template !== 'object' || template === null) return [];
  return Object.entries(template).flatMap(([name, inner]) => [name, ...textsOf(inner)]);
}

/** The steps of a pointer that the file's check has let pass. Source: RFC 6901. */
function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What a pointer leads to; undefined where it leads nowhere. */
export function valueAt(value: unknown, pointer: string): unknown {
  return memberAt(value, stepsOf(pointer));
}

/** A text that is not empty, or a number or a boolean as text; undefined for everything else. */
export function textAt(value: unknown, pointer: string): string | undefined {
  const found = valueAt(value, pointer);
  if (typeof found === 'string') return found === '' ? undefined : found;
  return typeof found === 'number' || typeof found === 'boolean' ? String(found) : undefined;
}

/**
 * An id: a text, or a whole number in all its digits. Numbers that JavaScript cannot hold come as text from the reply's reader
 * (`reply-body.ts`), so none is shown rounded or with an exponent.
 */
export function idAt(value: unknown, pointer: string): string | undefined {
  const found = valueAt(value, pointer);
  if (typeof found === 'string') return found.trim() === '' ? undefined : found;
  return Number.isSafeInteger(found) ? String(found) : undefined;
}

/** An object; undefined for everything else, lists included. */
export function recordAt(value: unknown, pointer: string): Readonly<Record<string, unknown>> | undefined {
  const found = valueAt(value, pointer);
  return typeof found === 'object' && found !== null && !Array.isArray(found)
    ? (found as Readonly<Record<string, unknown>>)
    : undefined;
}

/** No query language of a declared provider has a form for these in a literal. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/**
 * A value as it stands in a literal of the provider's query language: each character is escaped, refused, or as it is.
 * Total: whatever it gives back, the literal ends where it should. Undefined: no literal holds the value.
 */
export function toLiteral(value: string, { escape = {}, refuse = '' }: DeclaredFilter): string | undefined {
  if (!value.isWellFormed()) return undefined;
  let literal = '';
  for (const character of value) {
    if (Object.hasOwn(escape, character)) literal += escape[character];
    else if (refuse.includes(character) || control.test(character)) return undefined;
    else literal += character;
  }
  return literal;
}

/** Names cannot be escaped: words, joined by dots. Source: reliability checklist, item 24. */
export function isFieldName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/.test(name) && name.length <= 200;
}

/** An object that the file describes. */
export interface FoundObject {
  readonly name: string;
  readonly object: DeclaredObject;
  /** The texts of names in its requests. */
  readonly texts: Readonly<Record<string, string>>;
}

/** The object of a call; a failure names those there are. Names are compared as they are spelled. */
export function findObject({ objects, displayName }: Declaration, name: string): FoundObject | ProviderFailure {
  const key = name !== '*' && Object.hasOwn(objects, name) ? name : '*';
  const object = Object.hasOwn(objects, key) && name !== '*' ? objects[key] : undefined;
  if (object !== undefined) return { name, object, texts: { ...object.words, object: name } };
  const known = Object.keys(objects).join(', ');
  const message = `${displayName} has no object '${name.slice(0, 80)}' here; known are ${known}`;
  return { class: 'rejected', scope: 'call', message };
}
