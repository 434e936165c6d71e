import type { BatchCreate, BatchUpdate } from '../requests';
import type { RecordResult } from '../results';
import { assertBatchSize } from './batch-limit';
import type { SalesforceApi } from './call-salesforce';
import type { Describe } from './describe';
import { matchOutcomes } from './match-outcomes';
import { paths } from './paths';
import { resendCreates } from './resend';
import { refusedObject, refuse } from './save-result';
import { toSent, toSentUpdate } from './sent-values';
import { idRule, isRecordId } from './record-id';

/** `POST /composite/sobjects`: one call, 200 whatever becomes of the records. Source: reference B3. */
export async function batchCreate(api: SalesforceApi, describe: Describe, write: BatchCreate): Promise<RecordResult[]> {
  const { objectName, records, headers, auth, allOrNone = false } = write;
  assertBatchSize(records.length);
  const refused = refusedObject(objectName);
  if (refused || records.length === 0) return records.map(() => refused as RecordResult);
  const resent = write.isResend ? await resendCreates(api, describe, write) : undefined;
  if (resent) return resent;
  const sent = records.map(({ fields }) => ({ ...toSent(fields), attributes: { type: objectName } }));
  const answer = await api.call(
    {
      operation: 'batch-create',
      method: 'POST',
      path: paths.collections,
      body: { allOrNone, records: sent },
      ...(headers && { headers }),
    },
    write,
  );
  if (!answer.ok) return records.map(() => ({ ok: false, error: answer.failure }));
  const token = auth.accessToken;
  return matchOutcomes(answer.body, { write: 'create', inputs: records.map(() => undefined), allOrNone, token });
}

type Item = BatchUpdate['records'][number];

/** `PATCH /composite/sobjects`. A record whose id has no Salesforce form is refused here and the rest goes. Source: reference B3. */
export async function batchUpdate(api: SalesforceApi, write: BatchUpdate): Promise<RecordResult[]> {
  const { objectName, records, allOrNone = false } = write;
  assertBatchSize(records.length);
  const refused = refusedObject(objectName);
  if (refused) return records.map(() => refused);
  const valid = records.filter(({ recordId }) => isRecordId(recordId));
  const isStopped = allOrNone && valid.length < records.length;
  const sent = isStopped || valid.length === 0 ? [] : await send(api, write, valid);
  const outcomes = new Map(valid.map((item, at) => [item, sent[at] ?? heldBack]));
  return records.map((item) => outcomes.get(item) ?? refuse(idRule(item.recordId)));
}

const heldBack = refuse('Not sent, because another record of the batch has an id that is none of Salesforce');

async function send(api: SalesforceApi, write: BatchUpdate, items: readonly Item[]): Promise<RecordResult[]> {
  const { objectName, headers, auth, allOrNone = false } = write;
  const records = items.map(({ recordId, fields }) => ({
    ...toSentUpdate(fields),
    attributes: { type: objectName },
    id: recordId,
  }));
  const answer = await api.call(
    {
      operation: 'batch-update',
      method: 'PATCH',
      path: paths.collections,
      body: { allOrNone, records },
      ...(headers && { headers }),
    },
    write,
  );
  if (!answer.ok) return items.map(() => ({ ok: false, error: answer.failure }));
  const inputs = items.map(({ recordId }) => recordId);
  return matchOutcomes(answer.body, { write: 'update', inputs, allOrNone, token: auth.accessToken });
}
