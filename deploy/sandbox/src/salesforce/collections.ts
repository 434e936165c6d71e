import type { Problem } from './wire-reply';
import { externalIdOf, lookUp, objectCalled, objectOf } from './find-record';
import type { ApiAction, ApiCall, ApiReply } from './org';
import { member, readCollection, readNames, recordRequired, tooMany, typeOf, type JsonObject } from './request-body';
import { upsertRecord } from './single-record';
import { createRecord, deleteRecord, updateRecord, type Outcome } from './write-record';

type ItemOutcome = Outcome & { readonly created?: boolean };

const idsSkipped = new Set(['id']);

/** `POST /composite/sobjects` -> 200, one result per record in the order of the call. */
export const createMany: ApiAction = (call) => {
  const { allOrNone, records } = readCollection(call.bodyText);
  const objects = records.map((record) => objectCalled(typeOf(record)));
  return each(call, { allOrNone, records }, (body, index) => {
    const object = objects[index] ?? objectCalled(typeOf(body));
    if (member(body, 'id') !== undefined) return { problems: [idInCreate] };
    return createRecord(call, object, { index, body });
  });
};

/** `PATCH /composite/sobjects`: the id of each record stands in it. */
export const updateMany: ApiAction = (call) => {
  const { allOrNone, records } = readCollection(call.bodyText);
  const objects = records.map((record) => objectCalled(typeOf(record)));
  const seen = new Set<string>();
  return each(call, { allOrNone, records }, (body, index) => {
    const id = member(body, 'id');
    if (id === undefined || id === null || id === '') return { problems: [idMissing] };
    const found = lookUp(call, id, objects[index]);
    if ('problems' in found) return found;
    if (seen.has(found.record.id)) return { problems: [repeated(found.record.id)] };
    seen.add(found.record.id);
    return updateRecord(call, found.record, { index, body, skip: idsSkipped });
  });
};

/** `DELETE /composite/sobjects?ids=a,b&allOrNone=`. */
export const deleteMany: ApiAction = (call) => {
  const ids = readNames(call.query.get('ids') ?? []).filter(Boolean);
  if (ids.length === 0) throw recordRequired();
  if (ids.length > 200) throw tooMany(200);
  const allOrNone = call.query.get('allOrNone') === 'true';
  return each(call, { allOrNone, records: ids.map((id) => ({ id })) }, ({ id }, index) => {
    const found = lookUp(call, id);
    return 'problems' in found ? found : deleteRecord(call, found.record, index);
  });
};

/** `PATCH /composite/sobjects/{T}/{ExtField}`: results say which records were created. */
export const upsertMany: ApiAction = (call) => {
  const { allOrNone, records } = readCollection(call.bodyText);
  const object = objectOf(call);
  const field = externalIdOf(call, object);
  return each(call, { allOrNone, records }, (body, index) => {
    const value = member(body, field.name);
    if (typeof value !== 'string' || value === '') return { problems: [valueMissing(field.name)] };
    return upsertRecord(call, { object, field, value }, { index, body });
  });
};

/** Runs the records in order. With `allOrNone` and one failure everything is put back as it was. */
function each(
  call: ApiCall,
  { allOrNone, records }: { readonly allOrNone: boolean; readonly records: readonly JsonObject[] },
  perform: (record: JsonObject, index: number) => ItemOutcome,
): ApiReply {
  const outcomes = call.org.store.tryAll(() => {
    const result = records.map(perform);
    return { keep: !allOrNone || result.every((outcome) => 'record' in outcome), result };
  });
  const isRolledBack = allOrNone && outcomes.some((outcome) => 'problems' in outcome);
  return { status: 200, body: outcomes.map((outcome) => item(outcome, isRolledBack)) };
}

/** One result. What would have gone well in a call that was rolled back says so. */
function item(outcome: ItemOutcome, isRolledBack: boolean): Record<string, unknown> {
  if ('record' in outcome && !isRolledBack) {
    const created = outcome.created === undefined ? {} : { created: outcome.created };
    return { id: outcome.record.id, success: true, errors: [], ...created };
  }
  const problems = 'problems' in outcome ? outcome.problems : [rolledBack];
  const errors = problems.map(({ code, message, fields = [] }) => ({ statusCode: code, message, fields }));
  return { success: false, errors };
}

const rolledBack: Problem = {
  code: 'ALL_OR_NONE_OPERATION_ROLLED_BACK',
  message: 'Record rolled back because not all records were valid and the request was using AllOrNone header',
};

const idMissing: Problem = { code: 'MISSING_ARGUMENT', message: 'Id not specified in an update call' };

const idInCreate: Problem = { code: 'INVALID_FIELD_FOR_INSERT_UPDATE', message: 'cannot specify Id in an insert call' };

const valueMissing = (field: string): Problem => ({ code: 'MISSING_ARGUMENT', message: `${field} not specified` });

const repeated = (id: string): Problem => ({ code: 'DUPLICATE_VALUE', message: `duplicate id specified: ${id}` });
