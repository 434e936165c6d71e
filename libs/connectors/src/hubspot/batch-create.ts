import type { BatchCreate } from '../requests';
import type { RecordResult } from '../results';
import { assertBatchSize } from './batch-limit';
import type { HubspotApi } from './call-hubspot';
import { matchCreates, traceIdOf } from './match-results';
import { toProperties } from './properties';
import type { PropertyCache } from './read-properties';
import { resendCreates } from './resend';
import { uniqueKeyOf } from './unique-key';
import { readBatch } from './wire';

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
