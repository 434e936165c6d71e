import type { BatchUpdate } from '../requests';
import type { RecordResult } from '../results';
import { associate } from './associate';
import { assertBatchSize } from './batch-limit';
import type { HubspotApi } from './call-hubspot';
import { matchUpdates, traceIdOf } from './match-results';
import type { SchemaCache } from './object-schema';
import { toProperties } from './properties';
import { isOnlyAssociations } from './update';
import { readBatch } from './wire';

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
