import type { BatchCreate, BatchUpdate } from '../requests';
import type { RecordResult } from '../results';
import { assertBatchSize } from './batch-limit';
import type { HubspotApi } from './call-hubspot';
import { matchCreates, traceIdOf, matchUpdates } from './match-results';
import { toProperties, type PropertyCache, type SchemaCache } from './read-properties';
import { resendCreates } from './resend';
import { uniqueKeyOf } from './unique-key';
import { readBatch } from './wire';
import { associate } from './link-records';
import { isOnlyAssociations } from './update';

/**
 * `POST /objects/{object}/batch/create`. The trace id is HubSpot's switch: with it each record stands alone (207),
 * without it the first failure fails the call and nothing is written. Source: reference A3.
 */
export async function batchCreate(api: HubspotApi, cache: PropertyCache, write: BatchCreate): Promise<RecordResult[]> {
  const { objectName, records, allOrNone, auth } = write;
  assertBatchSize(records.length);
  if (records.length === 0) return [];
  const resent = write.isResend ? await resendCreates(api, cache, write) : undefined;
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
      path: api.urls.batch(objectName, 'create'),
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
export async function batchUpdate(api: HubspotApi, cache: SchemaCache, write: BatchUpdate): Promise<RecordResult[]> {
  const { records } = write;
  assertBatchSize(records.length);
  const withFields = records.filter((record) => !isOnlyAssociations(record));
  const patched = withFields.length === 0 ? [] : await patch(api, { ...write, records: withFields });
  const results = new Map(withFields.map((record, at) => [record, patched[at] as RecordResult]));
  const written = records.map((record) => {
    const result = results.get(record) ?? { ok: true, recordId: record.recordId };
    const recordId = result.ok ? result.recordId : record.recordId;
    return { recordId, associations: record.associations ?? [], result, hasFields: results.has(record) };
  });
  return associate(api, cache, write, written);
}

/** `POST /objects/{object}/batch/update`. The trace id only names the record in the reply. */
async function patch(api: HubspotApi, write: BatchUpdate): Promise<RecordResult[]> {
  const { objectName, records, auth } = write;
  const inputs = records.map(({ recordId, fields }, index) => ({
    id: recordId,
    properties: toProperties(fields),
    objectWriteTraceId: traceIdOf(index),
  }));
  const answer = await api.call(
    { operation: 'batch-update', method: 'POST', path: api.urls.batch(objectName, 'update'), body: { inputs } },
    write,
  );
  if (!answer.ok) return records.map(() => ({ ok: false, error: answer.failure }));
  return matchUpdates(records, readBatch(answer.body), { objectName, token: auth.accessToken });
}
