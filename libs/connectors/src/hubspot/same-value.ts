import type { Fields } from '../requests';
import { canonicalObjectName } from './urls';

/** A decimal without leading zeros: `007` is a text, `5.0` and `5` are one number. */
const decimal = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const isoMoment = /^\d{4}-\d\d-\d\d(t\d\d:\d\d(:\d\d(\.\d+)?)?(z|[+-]\d\d:\d\d))?$/;

/**
 * The normal form of a value, equal for all that HubSpot rewrites it into. Text is trimmed and in lower case, as emails and domains come back.
 * Numbers and booleans are texts, dates and moments are milliseconds. A multi-select has no order, and an unset value is empty. Source: reference A2,
 * Values.
 */
export function normalizeValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return normalizeValue(value.join(';'));
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).trim().toLowerCase();
  if (text.includes(';')) return text.split(';').map(normalizeValue).filter(Boolean).sort().join(';');
  if (isoMoment.test(text) && !Number.isNaN(Date.parse(text.toUpperCase())))
    return String(Date.parse(text.toUpperCase()));
  // Digits beyond what a number carries stay as they are.
  return decimal.test(text) && text.length <= 15 ? String(Number(text)) : text;
}

export function sameValue(one: unknown, other: unknown): boolean {
  return normalizeValue(one) === normalizeValue(other);
}

/**
 * Whether a record of HubSpot carries every value that was sent. A property that the record does not show at all is
 * passed over; at least one that is not empty must be shown and equal.
 */
export function matchesSent(sent: Fields, stored: Readonly<Record<string, unknown>>): boolean {
  const shown = Object.entries(sent).filter(([name]) => Object.hasOwn(stored, name));
  return (
    shown.some(([, value]) => normalizeValue(value) !== '') &&
    shown.every(([name, value]) => sameValue(value, stored[name]))
  );
}

/** Choices, numbers and ids: HubSpot keeps them as they are sent, and writes texts of more than a word in forms of its own. */
const oneWord = /^\w{0,80}$/;

/**
 * Warnings of values that a success shows otherwise than they were sent: HubSpot moves a lifecycle stage forward only, and says nothing of it.
 * Source: docs/providers/field-reports.md, H44.
 */
export function keptOtherwise(sent: Fields, stored: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(sent).flatMap(([name, value]) => {
    const shown = stored[name] ?? '';
    const isWord = typeof value === 'string' && value !== '' && typeof shown === 'string' && shown !== value;
    const isOther = isWord && oneWord.test(value) && oneWord.test(shown) && !sameValue(value, shown);
    return isOther && Object.hasOwn(stored, name) ? [`HubSpot shows another value of ${name} than was sent`] : [];
  });
}

/** A property that HubSpot keeps unique, with the value that a record sends. */
export interface UniqueKey {
  readonly name: string;
  /** Trimmed and in lower case: HubSpot compares so. */
  readonly value: string;
}

/**
 * The property that makes a second create of the same record fail at HubSpot, and the first one findable at once.
 * Only the contact's email is one without the account's schema: a company's domain and a deal's name may be
 * in many records. Source: reference A2, Uniqueness.
 */
export function uniqueKeyOf(objectName: string, fields: Fields): UniqueKey | undefined {
  const email = fields['email'];
  if (canonicalObjectName(objectName) !== 'contacts' || typeof email !== 'string') return undefined;
  const value = email.trim().toLowerCase();
  return value.includes('@') ? { name: 'email', value } : undefined;
}

/**
 * The first property of these that the record sends a text or a number in. At most one record has such a value, so it finds the
 * record at once. Source: reference A2, 1c.
 */
export function accountKeyOf(unique: readonly string[], fields: Fields): UniqueKey | undefined {
  for (const name of unique) {
    const sent = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const value = typeof sent === 'string' || typeof sent === 'number' ? String(sent).trim() : '';
    if (value !== '') return { name, value };
  }
  return undefined;
}
