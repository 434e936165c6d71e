import type { CrmRecord } from './crm-record';
import { invalid, notNumeric, recordNotFound } from './wire-reply';
import type { ObjectType } from './objects/object-type';
import type { RecordsStore } from './records-store';

const recordIdNames = new Set(['hs_object_id', 'id']);

/** Refuses an `idProperty` that does not identify one record. */
export function requireUniqueProperty({ unique, typeId }: ObjectType, idProperty: string | undefined): void {
  if (idProperty === undefined || recordIdNames.has(idProperty) || unique.includes(idProperty)) return;
  throw invalid(`Unable to perform update/upsert by non-unique ${typeId} property ${idProperty}`);
}

/** The record that `id` names, by record id or by a unique property. */
export function findRecord(records: RecordsStore, id: string, idProperty?: string): CrmRecord | undefined {
  if (idProperty === undefined || recordIdNames.has(idProperty)) return records.find(id);
  return records.findByUnique(idProperty, id);
}

/** As `findRecord`, for the single calls: 404 in its two recorded forms. */
export function getRecord(records: RecordsStore, id: string, idProperty?: string): CrmRecord {
  requireUniqueProperty(records.type, idProperty);
  const found = findRecord(records, id, idProperty);
  if (found) return found;
  throw missingRecord(id, idProperty);
}

export function missingRecord(id: string, idProperty?: string): Error {
  return idProperty === undefined && !/^\d+$/.test(id) ? notNumeric(id) : recordNotFound();
}
