import type { JsonObject } from '../crm/json-body';
import type { StoredRecord } from '../crm/record-store';
import { badRequest, noSuchColumn, notFound, recordDeleted, SalesforceError } from './errors';
import type { FieldDefinition, ObjectDefinition } from './field-definition';
import { findField, findObject, visibleFields } from './objects';
import { presentRecord, recordUrl, type Action, type OrgCall } from './org-data';
import { toLongId } from './record-ids';
import { readJsonObject, readNames } from './request-body';
import { createRecord, deleteRecord, updateRecord, type Outcome } from './write-record';

/** `POST /sobjects/{T}` -> 201 with `Location`. No record data in the reply. */
export const createOne: Action = (call) => {
  const record = written(createRecord(call, objectOf(call), { index: 0, body: readJsonObject(call.bodyText) }));
  const location = call.origin + recordUrl(call.version, record);
  return { status: 201, headers: { location }, body: { id: record.id, success: true, errors: [] } };
};

/** `PATCH /sobjects/{T}/{id}` -> 204. */
export const updateOne: Action = (call) => {
  const record = getRecord(call);
  written(updateRecord(call, record, { index: 0, body: readJsonObject(call.bodyText) }));
  return { status: 204 };
};

/** `DELETE /sobjects/{T}/{id}` -> 204; a second time 404 ENTITY_IS_DELETED. */
export const deleteOne: Action = (call) => {
  written(deleteRecord(call, getRecord(call), 0));
  return { status: 204 };
};

/** `GET /sobjects/{T}/{id}[?fields=A,B]` -> every visible field, or the requested ones. */
export const readOne: Action = (call) => {
  const object = objectOf(call);
  const requested = call.query.get('fields');
  const fields = requested ? fieldsNamed(object, readNames(requested)) : visibleFields(object);
  return { status: 200, body: presentRecord(call, getRecord(call), fields) };
};

/** Codes that a single write returns with another status than 400. */
const statusOfCode: Readonly<Record<string, number>> = {
  INSUFFICIENT_ACCESS_OR_READONLY: 403,
  REQUEST_LIMIT_EXCEEDED: 403,
  UNKNOWN_EXCEPTION: 500,
  SERVER_UNAVAILABLE: 503,
};

/** The record of a single write that succeeded. @throws SalesforceError for one that did not */
function written(outcome: Outcome): StoredRecord {
  if ('record' in outcome) return outcome.record;
  const [first] = outcome.problems;
  throw new SalesforceError(statusOfCode[first.code] ?? 400, ...outcome.problems);
}

/** The record to create or change: the one that has `value` in an external id. */
interface UpsertTarget {
  readonly object: ObjectDefinition;
  readonly field: FieldDefinition;
  readonly value: string;
}

/** Creates or changes a record. */
export function upsertRecord(
  call: OrgCall,
  { object, field, value }: UpsertTarget,
  input: { readonly index: number; readonly body: JsonObject },
): Outcome & { readonly created: boolean } {
  const name = field.name.toLowerCase();
  const current = call.data.findByUnique(object.name, field.name, value);
  if (current) return { ...updateRecord(call, current, { ...input, skip: new Set([name]) }), created: false };
  const others = Object.entries(input.body).filter(([key]) => key.toLowerCase() !== name);
  const outcome = createRecord(call, object, {
    ...input,
    body: { ...Object.fromEntries(others), [field.name]: value },
  });
  return { ...outcome, created: 'record' in outcome };
}

/** The object of an address; an unknown one is an unknown address. */
export function objectOf(call: OrgCall): ObjectDefinition {
  const object = findObject(call.params.object ?? '');
  if (!object) throw notFound();
  return object;
}

/** Fields by name, in any case. @throws SalesforceError INVALID_FIELD for the first that does not exist */
export function fieldsNamed(object: ObjectDefinition, names: readonly string[]): FieldDefinition[] {
  return names.map((name) => {
    const field = findField(object, name);
    if (!field) throw new SalesforceError(400, noSuchColumn(name, object.name));
    return field;
  });
}

/** The field of an upsert address: an external id. */
export function externalIdOf(call: OrgCall, object: ObjectDefinition): FieldDefinition {
  const name = call.params.field ?? '';
  const field = findField(object, name);
  if (field?.externalId) return field;
  throw notFound(`Provided external ID field does not exist or is not accessible: ${name}`);
}

/** The live record of an address: 404 in its recorded forms. */
function getRecord(call: OrgCall): StoredRecord {
  const object = objectOf(call);
  const id = call.params.id ?? '';
  const long = toLongId(id);
  if (long === undefined) throw badRequest('MALFORMED_ID', malformedId(object, id));
  const found = call.data.find(long);
  if (found?.type !== object.name) throw notFound();
  if (!found.isDeleted) return found;
  throw new SalesforceError(404, recordDeleted);
}

export const malformedId = (object: ObjectDefinition, id: string): string =>
  `${object.label} ID: id value of incorrect type: ${id}`;
