import type { DeclaredFilter } from './declaration';

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
