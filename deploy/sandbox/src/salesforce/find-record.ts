import { badRequest, noSuchColumn, notFound, SalesforceError, unsupportedType, type Problem } from './wire-reply';
import type { FieldDefinition, ObjectDefinition } from './field-definition';
import { findField, findObject } from './object-definitions';
import type { ApiCall } from './org';
import { toLongId } from './record-ids';
import type { StoredRecord } from './record-values';

/** The object of an address; an unknown one is an unknown address. */
export function objectOf(call: ApiCall): ObjectDefinition {
  const object = findObject(call.params.object ?? '');
  if (!object) throw notFound();
  return object;
}

/** The object that a collection names. */
export function objectCalled(name: string): ObjectDefinition {
  const object = findObject(name);
  if (!object) throw new SalesforceError(400, unsupportedType(name));
  return object;
}

/** The live record of an address, for the single calls: 404 in its recorded forms. */
export function getRecord(call: ApiCall, object: ObjectDefinition): StoredRecord {
  const id = call.params.id ?? '';
  const long = toLongId(id);
  if (long === undefined) throw badRequest('MALFORMED_ID', malformedId(object, id));
  const found = call.org.store.find(long);
  if (found?.type !== object.name) throw notFound();
  if (!found.isDeleted) return found;
  throw new SalesforceError(404, { ...deleted, fields: [] });
}

/** The live record that an item of a collection names, or why there is none. */
export function lookUp(
  call: ApiCall,
  id: unknown,
  object?: ObjectDefinition,
): { readonly record: StoredRecord } | { readonly problems: readonly [Problem] } {
  const text = typeof id === 'string' ? id : String(id);
  const long = toLongId(text);
  const wrongPrefix = long !== undefined && object !== undefined && !long.startsWith(object.keyPrefix);
  if (long === undefined || wrongPrefix) {
    const message = object ? malformedId(object, text) : `malformed id ${text}`;
    return { problems: [{ code: 'MALFORMED_ID', message, fields: ['Id'] }] };
  }
  const record = call.org.store.find(long);
  if (!record)
    return { problems: [{ code: 'INVALID_CROSS_REFERENCE_KEY', message: 'invalid cross reference id', fields: [] }] };
  return record.isDeleted ? { problems: [{ ...deleted, fields: [] }] } : { record };
}

/** Fields by name, in any case. @throws SalesforceError INVALID_FIELD for the first that does not exist */
export function fieldsCalled(object: ObjectDefinition, names: readonly string[]): FieldDefinition[] {
  return names.map((name) => {
    const field = findField(object, name);
    if (!field) throw new SalesforceError(400, noSuchColumn(name, object.name));
    return field;
  });
}

/** The field of an upsert address: an external id, or `Id`. */
export function externalIdOf(call: ApiCall, object: ObjectDefinition): FieldDefinition {
  const name = call.params.field ?? '';
  const field = findField(object, name);
  if (field?.externalId) return field;
  const message = `Provided external ID field does not exist or is not accessible: ${name}`;
  throw new SalesforceError(404, { code: 'NOT_FOUND', message });
}

const deleted = { code: 'ENTITY_IS_DELETED', message: 'entity is deleted' } as const;

const malformedId = (object: ObjectDefinition, id: string): string =>
  `${object.label} ID: id value of incorrect type: ${id}`;
