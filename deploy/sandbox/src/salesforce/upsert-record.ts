import { externalIdOf, objectOf } from './find-record';
import { visibleFields } from './object-definitions';
import type { ApiAction, ApiCall } from './org';
import { presentRecord } from './present-record';
import { notFound } from './errors';
import { readJsonObject, type JsonObject } from './request-body';
import { written } from './single-record';
import type { FieldDefinition } from './field-definition';
import type { ObjectDefinition } from './object-definition';
import type { StoredRecord } from './stored-record';
import { createRecord, deleteRecord, updateRecord, type Outcome } from './write-record';

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
