import type { ApiReply } from '../crm/api-call';
import type { JsonObject } from '../crm/json-body';
import type { StoredRecord } from '../crm/record-store';
import { badRequest, recordDeleted, SalesforceError, unknownReference, unsupportedType, type Problem } from './errors';
import type { ObjectDefinition } from './field-definition';
import { findObject } from './objects';
import { presentRecord, type Action, type OrgCall } from './org-data';
import { toLongId } from './record-ids';
import {
  member,
  readCollection,
  readJsonObject,
  readNames,
  requireSize,
  typeOf,
  type Collection,
} from './request-body';
import { externalIdOf, fieldsNamed, malformedId, objectOf, upsertRecord } from './single-records';
import { createRecord, deleteRecord, updateRecord, type Outcome } from './write-record';

type ItemOutcome = Outcome & { readonly created?: boolean };

const idsSkipped = new Set(['id']);

/** `POST /composite/sobjects` -> 200, one result per record in the order of the call. */
export const createMany: Action = (call) => {
  const collection = readCollection(call.bodyText);
  const objects = collection.records.map(objectOfItem);
  return each(call, collection, (body, index) => {
    const object = objects[index] ?? objectOfItem(body);
    if (member(body, 'id') !== undefined) return { problems: [idInCreate] };
    return createRecord(call, object, { index, body });
  });
};

/** `PATCH /composite/sobjects`: each record carries its id. */
export const updateMany: Action = (call) => {
  const collection = readCollection(call.bodyText);
  const objects = collection.records.map(objectOfItem);
  const updated = new Set<string>();
  return each(call, collection, (body, index) => {
    const id = member(body, 'id');
    if (id === undefined || id === null || id === '') return { problems: [idMissing] };
    const found = findItem(call, id, objects[index]);
    if ('problems' in found) return found;
    if (updated.has(found.record.id)) return { problems: [repeated(found.record.id)] };
    updated.add(found.record.id);
    return updateRecord(call, found.record, { index, body, skip: idsSkipped });
  });
};

/** `DELETE /composite/sobjects?ids=a,b&allOrNone=`. */
export const deleteMany: Action = (call) => {
  const ids = readNames(call.query.get('ids') ?? []).filter(Boolean);
  requireSize(ids, 200);
  const allOrNone = call.query.get('allOrNone') === 'true';
  return each(call, { allOrNone, records: ids.map((id) => ({ id })) }, ({ id }, index) => {
    const found = findItem(call, id);
    return 'problems' in found ? found : deleteRecord(call, found.record, index);
  });
};

/** `PATCH /composite/sobjects/{T}/{ExtField}`: each result names whether its record was created. */
export const upsertMany: Action = (call) => {
  const collection = readCollection(call.bodyText);
  const object = objectOf(call);
  const field = externalIdOf(call, object);
  return each(call, collection, (body, index) => {
    const value = member(body, field.name);
    if (typeof value !== 'string' || value === '') return { problems: [valueMissing(field.name)] };
    return upsertRecord(call, { object, field, value }, { index, body });
  });
};

/** Runs the records in order. With `allOrNone` and one failure everything is rolled back. */
function each(
  call: OrgCall,
  { allOrNone, records }: Collection,
  perform: (record: JsonObject, index: number) => ItemOutcome,
): ApiReply {
  const outcomes = call.data.tryAll(() => {
    const result = records.map(perform);
    return { keep: !allOrNone || result.every((outcome) => 'record' in outcome), result };
  });
  const isRolledBack = allOrNone && outcomes.some((outcome) => 'problems' in outcome);
  return { status: 200, body: outcomes.map((outcome) => item(outcome, isRolledBack)) };
}

/** One result. A record that would have succeeded in a call that was rolled back has an error beside its id. Source: jsforce issue 1067. */
function item(outcome: ItemOutcome, isRolledBack: boolean): Record<string, unknown> {
  if ('record' in outcome && !isRolledBack) {
    const created = outcome.created === undefined ? {} : { created: outcome.created };
    return { id: outcome.record.id, success: true, errors: [], ...created };
  }
  const problems = 'problems' in outcome ? outcome.problems : [rolledBack];
  const errors = problems.map(({ code, message, fields = [] }) => ({ statusCode: code, message, fields }));
  return { ...('record' in outcome ? { id: outcome.record.id } : {}), success: false, errors };
}

const rolledBack: Problem = {
  code: 'ALL_OR_NONE_OPERATION_ROLLED_BACK',
  message: 'Record rolled back because not all records were valid and the request was using AllOrNone header',
};

const idMissing: Problem = { code: 'MISSING_ARGUMENT', message: 'Id not specified in an update call' };

const idInCreate: Problem = { code: 'INVALID_FIELD_FOR_INSERT_UPDATE', message: 'cannot specify Id in an insert call' };

const valueMissing = (field: string): Problem => ({ code: 'MISSING_ARGUMENT', message: `${field} not specified` });

const repeated = (id: string): Problem => ({ code: 'DUPLICATE_VALUE', message: `duplicate id specified: ${id}` });

/** The object that a record of a collection names. */
function objectOfItem(record: JsonObject): ObjectDefinition {
  const name = typeOf(record);
  const object = findObject(name);
  if (!object) throw new SalesforceError(400, unsupportedType(name));
  return object;
}

type FoundItem = { readonly record: StoredRecord } | { readonly problems: readonly [Problem] };

/** The live record that an item names, or why there is none. */
function findItem(call: OrgCall, id: unknown, object?: ObjectDefinition): FoundItem {
  const text = typeof id === 'string' ? id : String(id);
  const long = toLongId(text);
  const hasWrongPrefix = long !== undefined && object !== undefined && !long.startsWith(object.keyPrefix);
  if (long === undefined || hasWrongPrefix) {
    const message = object ? malformedId(object, text) : `malformed id ${text}`;
    return { problems: [{ code: 'MALFORMED_ID', message, fields: ['Id'] }] };
  }
  const record = call.data.find(long);
  if (!record) return { problems: [unknownReference([])] };
  return record.isDeleted ? { problems: [recordDeleted] } : { record };
}

/** Largest number of ids in a retrieve. Source: docs/contributing/providers.md, B3. */
const IDS_MAX = 2000;

/** `POST /composite/sobjects/{T}` with `{ids, fields}`: one entry per id, in their order; null for a record that does not exist or is another object's. */
export const retrieveMany: Action = (call) => {
  const body = readJsonObject(call.bodyText);
  const [ids, names] = [readNames(body.ids), readNames(body.fields)];
  const object = objectOf(call);
  requireSize(ids, IDS_MAX);
  if (names.length === 0) throw badRequest('MISSING_ARGUMENT', 'fields not specified in a retrieve call');
  const fields = fieldsNamed(object, names);
  const records = ids.map((id) => {
    const long = toLongId(id);
    if (long === undefined) throw badRequest('MALFORMED_ID', `malformed id ${id}`);
    const record = call.data.find(long);
    return record && !record.isDeleted && record.type === object.name ? presentRecord(call, record, fields) : null;
  });
  return { status: 200, body: records };
};
