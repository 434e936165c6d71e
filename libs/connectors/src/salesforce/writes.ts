import type { FailureClass } from '@sluice/errors';
import type { Signal } from '../signals';
import { assertBatchSize } from '../provider-call';
import type { BatchCreate, BatchUpdate, CreateWrite, DeleteWrite, UpdateWrite } from '../requests';
import type { RecordResult } from '../results';
import { type SalesforceAnswer, type SalesforceApi, batchLimit, salesforce } from './call-salesforce';
import type { Describe } from './describe';
import { itemFailure } from './errors';
import { matchOutcomes } from './match-outcomes';
import { isObjectName, objectRule, paths } from './paths';
import { resendCreates } from './resend';
import { toSent, toSentUpdate } from './sent-values';
import { unanswered } from './signal-tables';
import { idRule, isRecordId, readSaved } from './wire';

/** The outcome of a single write. Its reply carries no record, so there is no `data`. Source: reference B2. */
function toRecordResult(
  answer: SalesforceAnswer,
  { write, recordId, token }: { write: Signal['on']; recordId?: string; token: string },
): RecordResult {
  if (!answer.ok) return { ok: false, error: answer.failure };
  const saved = readSaved(answer.body);
  // A 2xx body can still say success:false.
  if (saved?.success === false || (saved?.success === undefined && (saved?.errors.length ?? 0) > 0)) {
    return { ok: false, error: itemFailure(saved?.errors ?? [], write, token) };
  }
  if (recordId !== undefined) return answer.body === undefined || saved?.success ? { ok: true, recordId } : withoutWord;
  if (saved?.id === undefined) return withoutId;
  return saved.success === true ? { ok: true, recordId: saved.id } : mayBeCreated;
}

const withoutId = failed(unanswered.create.class, 'Salesforce answered with success but without a record id');
const mayBeCreated = failed(
  unanswered.create.class,
  'Salesforce answered with an id but does not say that it created the record',
);
const withoutWord = failed(
  unanswered.single.class,
  'Salesforce answered with success but does not say so of the record',
);

function failed(failureClass: FailureClass, message: string): RecordResult {
  return { ok: false, error: { class: failureClass, scope: 'record', message } };
}

/** An object name goes into the path, where it cannot be escaped into a name of another form. */
function refusedObject(objectName: string): RecordResult | undefined {
  return isObjectName(objectName) ? undefined : refuse(objectRule(objectName));
}

/** Not sent: what is wrong can be seen here. */
function refuse(message: string): RecordResult {
  return { ok: false, error: { class: 'rejected', scope: 'record', message } };
}

/** `POST /sobjects/{object}` with the fields as they are. Source: reference B2. */
export async function create(api: SalesforceApi, describe: Describe, write: CreateWrite): Promise<RecordResult> {
  const { objectName, fields, headers, auth } = write;
  const refused = refusedObject(objectName);
  if (refused) return refused;
  const [resent] = (write.isResend && (await resendCreates(api, describe, { ...write, records: [write] }))) || [];
  if (resent) return resent;
  const answer = await api.call(
    {
      operation: 'create',
      method: 'POST',
      path: paths.objects(objectName),
      body: toSent(fields),
      ...(headers && { headers }),
    },
    write,
  );
  return toRecordResult(answer, { write: 'create', token: auth.accessToken });
}

/** `PATCH /sobjects/{object}/{id}`, answered by an empty 204. Source: reference B2. */
export async function update(api: SalesforceApi, write: UpdateWrite): Promise<RecordResult> {
  const { objectName, recordId, fields, headers, auth } = write;
  const refused = refusedObject(objectName) ?? (isRecordId(recordId) ? undefined : refuse(idRule(recordId)));
  if (refused) return refused;
  const answer = await api.call(
    {
      operation: 'update',
      method: 'PATCH',
      path: paths.object(objectName, recordId),
      body: toSentUpdate(fields),
      ...(headers && { headers }),
    },
    write,
  );
  return toRecordResult(answer, { write: 'update', recordId, token: auth.accessToken });
}

/**
 * `DELETE /sobjects/{object}/{id}`, answered by an empty 204. A record that is not there is `not-found`, unless an earlier send
 * of the same may have deleted it. Source: reference B2, 1b.
 */
export async function deleteRecord(api: SalesforceApi, write: DeleteWrite): Promise<RecordResult> {
  const { objectName, recordId, headers, auth } = write;
  const refused = refusedObject(objectName) ?? (isRecordId(recordId) ? undefined : refuse(idRule(recordId)));
  if (refused) return refused;
  const answer = await api.call(
    {
      operation: 'delete',
      method: 'DELETE',
      path: paths.object(objectName, recordId),
      isResend: write.isResend ?? false,
      ...(headers && { headers }),
    },
    write,
  );
  return toRecordResult(answer, { write: 'delete', recordId, token: auth.accessToken });
}

/** `POST /composite/sobjects`: one call, 200 whatever becomes of the records. Source: reference B3. */
export async function batchCreate(api: SalesforceApi, describe: Describe, write: BatchCreate): Promise<RecordResult[]> {
  const { objectName, records, headers, auth, allOrNone = false } = write;
  assertBatchSize(salesforce, batchLimit, records.length);
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
  assertBatchSize(salesforce, batchLimit, records.length);
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
