import type { CallAccount } from './api-call';
import type { Contact } from './contact';
import { invalid, notNumeric, recordNotFound } from './errors';
import { uniqueProperties } from './property-definitions';

const recordIdNames = new Set(['hs_object_id', 'id']);

/** Refuses an `idProperty` that does not identify one contact. */
export function requireUniqueProperty(idProperty: string | undefined): void {
  if (idProperty === undefined || recordIdNames.has(idProperty) || uniqueProperties.includes(idProperty)) return;
  throw invalid(`Unable to perform update/upsert by non-unique 0-1 property ${idProperty}`);
}

/** The contact that `id` names, by record id or by a unique property. */
export function findContact(account: CallAccount, id: string, idProperty?: string): Contact | undefined {
  if (idProperty === undefined || recordIdNames.has(idProperty)) return account.contacts.find(id);
  return account.contacts.findByUnique(idProperty, id);
}

/** As `findContact`, for the single calls: 404 in its two recorded forms. */
export function getContact(account: CallAccount, id: string, idProperty?: string): Contact {
  requireUniqueProperty(idProperty);
  const found = findContact(account, id, idProperty);
  if (found) return found;
  throw idProperty === undefined && !/^\d+$/.test(id) ? notNumeric(id) : recordNotFound();
}
