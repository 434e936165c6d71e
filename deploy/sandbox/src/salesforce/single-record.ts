import { SalesforceError, notFound } from './wire-reply';
import { fieldsCalled, getRecord, objectOf, externalIdOf } from './find-record';
import { visibleFields } from './object-definitions';
import type { ApiAction, ApiCall } from './org';
import { presentRecord, recordUrl } from './present-record';
import { readJsonObject, readNames, type JsonObject } from './request-body';
import type { StoredRecord } from './record-values';
import { createRecord, deleteRecord, updateRecord, type Outcome } from './write-record';
import type { FieldDefinition, ObjectDefinition } from './field-definition';

/** `POST /sobjects/{T}` -> 201 with `Location`. No record data in the reply. */
export const createOne: ApiAction = (call) => {
  const record = written(createRecord(call, objectOf(call), { index: 0, body: readJsonObject(call.bodyText) }));
  const location = call.origin + recordUrl(call.version, record);
  return { status: 201, headers: { location }, body: { id: record.id, success: true, errors: [] } };
};

/** `PATCH /sobjects/{T}/{id}` -> 204. */
export const updateOne: ApiAction = (call) => {
  const record = getRecord(call, objectOf(call));
  written(updateRecord(call, record, { index: 0, body: readJsonObject(call.bodyText) }));
  return { status: 204 };
};

/** `DELETE /sobjects/{T}/{id}` -> 204; a second time 404 ENTITY_IS_DELETED. */
export const deleteOne: ApiAction = (call) => {
  written(deleteRecord(call, getRecord(call, objectOf(call)), 0));
  return { status: 204 };
};

/** `GET /sobjects/{T}/{id}[?fields=A,B]` -> every visible field, or those asked for. */
export const readOne: ApiAction = (call) => {
  const object = objectOf(call);
  const asked = call.query.get('fields');
  const fields = asked ? fieldsCalled(object, readNames(asked)) : visibleFields(object);
  return { status: 200, body: presentRecord(call, getRecord(call, object), fields) };
};

/** Codes that a single write answers with another status than 400. */
const statusOfCode: Readonly<Record<string, number>> = {
  INSUFFICIENT_ACCESS_OR_READONLY: 403,
  REQUEST_LIMIT_EXCEEDED: 403,
  UNKNOWN_EXCEPTION: 500,
  SERVER_UNAVAILABLE: 503,
};

/** The record of a single write that went well. @throws SalesforceError for one that did not */
function written(outcome: Outcome): StoredRecord {
  if ('record' in outcome) return outcome.record;
  const [first, ...others] = outcome.problems;
  throw new SalesforceError(statusOfCode[first.code] ?? 400, first, ...others);
}

/** `PATCH /sobjects/{T}/{ExtField}/{v}` -> 201 created, 200 updated. The value of the address is written on a create. */
export const upsertOne: ApiAction = (call) => {
  const object = objectOf(call);
  const field = externalIdOf(call, object);
  const outcome = upsertRecord(
    call,
    { object, field, value: call.params.value ?? '' },
    { index: 0, body: readJsonObject(call.bodyText) },
  );
  const record = written(outcome);
  return {
    status: outcome.created ? 201 : 200,
    body: { id: record.id, success: true, errors: [], created: outcome.created },
  };
};

/** `GET /sobjects/{T}/{ExtField}/{v}`. */
export const readByExternalId: ApiAction = (call) => {
  const object = objectOf(call);
  return { status: 200, body: presentRecord(call, recordWith(call, object), visibleFields(object)) };
};

/** `DELETE /sobjects/{T}/{ExtField}/{v}` -> 204. */
export const deleteByExternalId: ApiAction = (call) => {
  written(deleteRecord(call, recordWith(call, objectOf(call)), 0));
  return { status: 204 };
};

/** Creates or changes the record that has `value` in an external id. */
export function upsertRecord(
  call: ApiCall,
  target: { readonly object: ObjectDefinition; readonly field: FieldDefinition; readonly value: string },
  input: { readonly index: number; readonly body: JsonObject },
): Outcome & { readonly created: boolean } {
  const { object, field, value } = target;
  const current = call.org.store.findByUnique(object.name, field.name, value);
  const skip = new Set([field.name.toLowerCase()]);
  if (current) return { ...updateRecord(call, current, { ...input, skip }), created: false };
  const outcome = createRecord(call, object, { ...input, body: withExternalId(input.body, field.name, value) });
  return { ...outcome, created: 'record' in outcome };
}

function withExternalId(body: JsonObject, name: string, value: string): JsonObject {
  const others = Object.entries(body).filter(([key]) => key.toLowerCase() !== name.toLowerCase());
  return { ...Object.fromEntries(others), [name]: value };
}

function recordWith(call: ApiCall, object: ObjectDefinition): StoredRecord {
  const field = externalIdOf(call, object);
  const found = call.org.store.findByUnique(object.name, field.name, call.params.value ?? '');
  if (!found) throw notFound();
  return found;
}
