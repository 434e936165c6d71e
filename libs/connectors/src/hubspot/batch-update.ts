import type { BatchUpdate } from '../requests';
import type { RecordResult } from '../results';
import { assertBatchSize } from './batch-limit';
import type { HubspotApi } from './call-hubspot';
import { matchUpdates, traceIdOf } from './match-results';
import { toProperties } from './properties';
import { readBatch } from './wire';

/**
 * `POST /objects/{object}/batch/update`. Always partial, whatever the batch policy says; the trace id only names
 * the record in the reply. Source: specification, batchPolicy; reference A3.
 */
export async function batchUpdate(api: HubspotApi, write: BatchUpdate): Promise<RecordResult[]> {
  const { objectName, records, auth } = write;
  assertBatchSize(records.length);
  if (records.length === 0) return [];
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
