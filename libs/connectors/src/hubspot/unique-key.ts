import type { Fields } from '../requests';

/** Contacts under each of the names that HubSpot takes for them. Source: reference A1. */
const contactNames = new Set(['contacts', 'contact', '0-1']);

/** A property that HubSpot keeps unique, with the value that a record sends. */
export interface UniqueKey {
  readonly name: string;
  /** Trimmed and in lower case: HubSpot compares so. */
  readonly value: string;
}

/**
 * The property that makes a second create of the same record fail at HubSpot, and the first one findable at once.
 * Only the contact's email is one without asking the account's schema. Source: reference A2, Uniqueness.
 */
export function uniqueKeyOf(objectName: string, fields: Fields): UniqueKey | undefined {
  const email = fields['email'];
  if (!contactNames.has(objectName) || typeof email !== 'string') return undefined;
  const value = email.trim().toLowerCase();
  return value.includes('@') ? { name: 'email', value } : undefined;
}

/** One name per object, so that `contacts` and `0-1` are the same. */
export function canonicalObjectName(objectName: string): string {
  return contactNames.has(objectName) ? 'contacts' : objectName;
}
