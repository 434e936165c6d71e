import { ProviderError, retryOf } from '@sluice/errors';
import { assertBatchSize, toFailure } from '../provider-call';
import type { BatchCreate, BatchUpdate, CreateWrite, DeleteWrite, Fields, UpdateWrite } from '../requests';
import { allRead, type RecordResult, wasThereWarning } from '../results';
import { batchRead } from './batch-read';
import { batchRecordsMax, hubspot, type HubspotAnswer, type HubspotApi } from './call-hubspot';
import { uniqueProperties } from './describe';
import { associate } from './links';
import { matchCreates, matchUpdates, traceIdOf } from './match-results';
import {
  accountKeyOf,
  keptOtherwise,
  mergedWarning,
  normalizeValue,
  paths,
  readBatch,
  readRecord,
  toProperties,
  toSuccess,
  type UniqueKey,
  uniqueKeyOf,
} from './wire';

/** The outcome of a single write. A success that names no record is of unknown outcome. */
function toRecordResult(answer: HubspotAnswer, sent: Fields): RecordResult {
  if (!answer.ok) return { ok: false, error: answer.failure };
  const record = readRecord(answer.body);
  if (record) return toSuccess(record, ...keptOtherwise(sent, record.properties));
  return {
    ok: false,
    error: { class: 'unknown', scope: 'record', message: 'HubSpot answered with success but without a record id' },
  };
}

/** `POST /objects/{object}`. Source: reference A2, A4: associations are sent inline. */
export async function create(api: HubspotApi, write: CreateWrite): Promise<RecordResult> {
  const { objectName, fields, associations } = write;
  const [resent] = (write.isResend && (await resendCreates(api, { ...write, records: [write] }))) || [];
  if (resent) return resent;
  const answer = await api.call(
    {
      operation: 'create',
      method: 'POST',
      path: paths.objects(objectName),
      body: { properties: toProperties(fields), ...(associations?.length && { associations }) },
      isKeyed: uniqueKeyOf(objectName, fields) !== undefined,
    },
    write,
  );
  return toRecordResult(answer, fields);
}

/** Updates the fields, then makes the associations. Without fields the associations are all there is to send. */
export async function update(api: HubspotApi, write: UpdateWrite): Promise<RecordResult> {
  const { recordId, associations = [] } = write;
  if (associations.length === 0) return patch(api, write);
  const hasFields = !isOnlyAssociations(write);
  const result: RecordResult = hasFields ? await patch(api, write) : { ok: true, recordId };
  // A merged record is linked under the id that survived.
  const linked = { recordId: result.ok ? result.recordId : recordId, associations, result, hasFields };
  const [settled = result] = await associate(api, write, [linked]);
  return settled;
}

/** An update that changes no field: there is nothing to send but its associations. */
function isOnlyAssociations(write: Pick<UpdateWrite, 'fields' | 'associations'>): boolean {
  return Object.keys(write.fields).length === 0 && Boolean(write.associations?.length);
}

/** `PATCH /objects/{object}/{id}`. A merged record is returned under the id that survived. Source: reference A2, A3. */
async function patch(api: HubspotApi, write: UpdateWrite): Promise<RecordResult> {
  const { objectName, recordId, fields } = write;
  const answer = await api.call(
    {
      operation: 'update',
      method: 'PATCH',
      path: paths.object(objectName, recordId),
      body: { properties: toProperties(fields) },
    },
    write,
  );
  const result = toRecordResult(answer, fields);
  if (!result.ok || result.recordId === recordId) return result;
  return { ...result, warnings: [...(result.warnings ?? []), mergedWarning(recordId, result.recordId)] };
}

/**
 * `DELETE /objects/{object}/{id}`: HubSpot archives the record. It answers 204 whether the record was there or not,
 * so a success means that it is gone and no more. Source: reference A2.
 */
export async function deleteRecord(api: HubspotApi, write: DeleteWrite): Promise<RecordResult> {
  const { objectName, recordId } = write;
  const path = paths.object(objectName, recordId);
  const answer = await api.call({ operation: 'delete', method: 'DELETE', path }, write);
  return answer.ok ? { ok: true, recordId } : { ok: false, error: answer.failure };
}

/**
 * `POST /objects/{object}/batch/create`. The trace id is HubSpot's switch: with it each record stands alone (207),
 * without it the first failure fails the call and nothing is written. Source: reference A3.
 */
export async function batchCreate(api: HubspotApi, write: BatchCreate): Promise<RecordResult[]> {
  const { objectName, records, allOrNone, auth } = write;
  assertBatchSize(hubspot, batchRecordsMax, records.length);
  if (records.length === 0) return [];
  const resent = write.isResend ? await resendCreates(api, write) : undefined;
  if (resent) return resent;
  const inputs = records.map(({ fields, associations }, index) => ({
    properties: toProperties(fields),
    ...(associations?.length && { associations }),
    ...(!allOrNone && { objectWriteTraceId: traceIdOf(index) }),
  }));
  const answer = await api.call(
    {
      operation: 'batch-create',
      method: 'POST',
      path: paths.batch(objectName, 'create'),
      body: { inputs },
      isKeyed: records.every(({ fields }) => uniqueKeyOf(objectName, fields) !== undefined),
    },
    write,
  );
  if (!answer.ok) return records.map(() => ({ ok: false, error: answer.failure }));
  const sent = records.map(({ fields }) => fields);
  return matchCreates(sent, readBatch(answer.body), { objectName, token: auth.accessToken });
}

/**
 * Updates the fields in one call, then makes the associations of all records that were written. Always partial,
 * whatever the batch policy says. Source: specification, batchPolicy; reference A3, A4.
 */
export async function batchUpdate(api: HubspotApi, write: BatchUpdate): Promise<RecordResult[]> {
  const { records } = write;
  assertBatchSize(hubspot, batchRecordsMax, records.length);
  const withFields = records.filter((record) => !isOnlyAssociations(record));
  const patched = withFields.length === 0 ? [] : await patchAll(api, { ...write, records: withFields });
  const results = new Map(withFields.map((record, at) => [record, patched[at] as RecordResult]));
  const written = records.map((record) => {
    const result = results.get(record) ?? { ok: true, recordId: record.recordId };
    const recordId = result.ok ? result.recordId : record.recordId;
    return { recordId, associations: record.associations ?? [], result, hasFields: results.has(record) };
  });
  return associate(api, write, written);
}

/** `POST /objects/{object}/batch/update`. The trace id only names the record in the reply. */
async function patchAll(api: HubspotApi, write: BatchUpdate): Promise<RecordResult[]> {
  const { objectName, records, auth } = write;
  const inputs = records.map(({ recordId, fields }, index) => ({
    id: recordId,
    properties: toProperties(fields),
    objectWriteTraceId: traceIdOf(index),
  }));
  const answer = await api.call(
    { operation: 'batch-update', method: 'POST', path: paths.batch(objectName, 'update'), body: { inputs } },
    write,
  );
  if (!answer.ok) return records.map(() => ({ ok: false, error: answer.failure }));
  return matchUpdates(records, readBatch(answer.body), { objectName, token: auth.accessToken });
}

/**
 * Sends creates that may have been carried out before again, as an upsert by a property that the account keeps unique. If the earlier send is still
 * applied, it hits the same record. Only where no record has the values, because an upsert overwrites a record and a create never does (ADR 19).
 * Never by email, of which HubSpot makes no partial upsert, and without associations, which it does not take.
 * @returns undefined where that cannot be done: they are then created as ever, and a unique value that is taken is a conflict
 */
async function resendCreates(api: HubspotApi, write: BatchCreate): Promise<RecordResult[] | undefined> {
  const { records } = write;
  if (records.some(({ associations }) => associations?.length)) return undefined;
  try {
    const unique = (await uniqueProperties(api, write)).filter((name) => name !== 'email');
    const keys = unique.map((name) => keysOf(name, records)).find((each) => each !== undefined);
    if (!keys || (await isTaken(api, write, keys))) return undefined;
    return await upsert(api, write, keys);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (retryOf(error.class) === 'never') return undefined;
    return records.map(() => ({ ok: false, error: toFailure(error) }));
  }
}

/** One property that every record sends, each with a value of its own. */
function keysOf(name: string, records: BatchCreate['records']): UniqueKey[] | undefined {
  const keys = records.flatMap(({ fields }) => accountKeyOf([name], fields) ?? []);
  const values = new Set(keys.map(({ value }) => normalizeValue(value)));
  return values.size === records.length ? keys : undefined;
}

async function isTaken(api: HubspotApi, write: BatchCreate, keys: readonly UniqueKey[]): Promise<boolean> {
  const { records: _, ...call } = write;
  const byProperty = { name: keys[0]?.name ?? '', values: keys.map(({ value }) => value) };
  const found = await batchRead(api, { ...call, fields: [], byProperty });
  return allRead(found).some((record) => record !== undefined);
}

/** `POST /objects/{object}/batch/upsert`. Source: reference A3. */
async function upsert(api: HubspotApi, write: BatchCreate, keys: readonly UniqueKey[]): Promise<RecordResult[]> {
  const { objectName, records, allOrNone, auth } = write;
  const inputs = records.map(({ fields }, index) => ({
    id: keys[index]?.value,
    idProperty: keys[index]?.name,
    properties: toProperties(fields),
    ...(!allOrNone && { objectWriteTraceId: traceIdOf(index) }),
  }));
  const path = paths.batch(objectName, 'upsert');
  const answer = await api.call(
    { operation: 'batch-upsert', method: 'POST', path, body: { inputs }, isKeyed: true },
    write,
  );
  if (!answer.ok) return records.map(() => ({ ok: false, error: answer.failure }));
  const sent = records.map(({ fields }) => fields);
  const results = matchCreates(sent, readBatch(answer.body), { objectName, token: auth.accessToken, keys });
  return results.map((result) =>
    result.ok && result.data?.['new'] === false
      ? { ...result, warnings: [...(result.warnings ?? []), wasThereWarning] }
      : result,
  );
}
