import type { Fields } from '../requests';
import { canonicalObjectName } from './urls';

/** A property that HubSpot keeps unique, with the value that a record sends. */
export interface UniqueKey {
  readonly name: string;
  /** Trimmed and in lower case: HubSpot compares so. */
  readonly value: string;
}

/**
 * The property that makes a second create of the same record fail at HubSpot, and the first one findable at once.
 * Only the contact's email is one without asking the account's schema: a company's domain and a deal's name may stand
 * in many records. Source: reference A2, Uniqueness.
 */
export function uniqueKeyOf(objectName: string, fields: Fields): UniqueKey | undefined {
  const email = fields['email'];
  if (canonicalObjectName(objectName) !== 'contacts' || typeof email !== 'string') return undefined;
  const value = email.trim().toLowerCase();
  return value.includes('@') ? { name: 'email', value } : undefined;
}

/**
 * The first property of these that the record sends a text or a number in. Such a value stands in one record at most, so it finds the
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
