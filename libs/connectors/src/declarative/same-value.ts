import type { Fields } from '../requests';
import type { DeclaredObject } from './declaration';

/** A decimal without leading zeros: `007` is a text, `5.0` and `5` are one number. */
const decimal = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * The normal form of a value, equal for all that providers commonly turn it into. Trimmed, lower case, one kind of blank, a number as its digits, a
 * list or object as its JSON. What is unset is empty.
 */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).trim().toLowerCase().replace(/\s+/g, ' ');
  // Digits beyond what a number carries stay as they are.
  return decimal.test(text) && text.length <= 15 ? String(Number(text)) : text;
}

export function sameValue(one: unknown, other: unknown): boolean {
  return plain(one) === plain(other);
}

/**
 * Whether a record carries every value that was sent. A field that it does not show at all is passed over; so is an object or a
 * list, which providers answer in a form of their own. At least one that is not empty must be shown and equal.
 */
export function matchesSent(sent: Fields, stored: Readonly<Record<string, unknown>>): boolean {
  const shown = Object.entries(sent).filter(
    ([name, value]) => Object.hasOwn(stored, name) && (typeof value !== 'object' || value === null),
  );
  return (
    shown.some(([, value]) => plain(value) !== '') && shown.every(([name, value]) => sameValue(value, stored[name]))
  );
}

/** The field that is unique at the provider, with its value in these fields. */
export interface UniqueValue {
  readonly name: string;
  readonly value: string;
}

/** Undefined where the object has no such field, or the record does not set it. */
export function uniqueValueOf({ unique }: DeclaredObject, fields: Fields): UniqueValue | undefined {
  const value = unique === undefined || !Object.hasOwn(fields, unique) ? undefined : fields[unique];
  if (unique === undefined || (typeof value !== 'string' && typeof value !== 'number')) return undefined;
  return plain(value) === '' ? undefined : { name: unique, value: String(value).trim() };
}
