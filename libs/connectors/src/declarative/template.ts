import type { Template } from './declaration';

/** `{name}` in a text. */
const placeholder = /\{([A-Za-z][A-Za-z0-9_]*)\}/g;

/** What stands for names: texts for `{name}`, whole values for `$name`. */
export interface Values {
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
