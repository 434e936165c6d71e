import { SalesforceError } from './errors';
import { fieldsCalled, getRecord, objectOf } from './find-record';
import { visibleFields } from './object-definitions';
import type { ApiAction } from './org';
import { presentRecord, recordUrl } from './present-record';
import { readJsonObject, readNames } from './request-body';
import type { StoredRecord } from './stored-record';
import { createRecord, deleteRecord, updateRecord, type Outcome } from './write-record';

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
export function written(outcome: Outcome): StoredRecord {
  if ('record' in outcome) return outcome.record;
  const [first, ...others] = outcome.problems;
  throw new SalesforceError(statusOfCode[first.code] ?? 400, first, ...others);
}
