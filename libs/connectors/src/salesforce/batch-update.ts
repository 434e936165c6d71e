import type { BatchUpdate } from '../requests';
import type { RecordResult } from '../results';
import { assertBatchSize } from './batch-limit';
import type { SalesforceApi } from './call-salesforce';
import { matchOutcomes } from './match-outcomes';
import { paths } from './paths';
import { idRule, isRecordId } from './record-id';
import { refuse, refusedObject } from './save-result';
import { toSentUpdate } from './values';

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
