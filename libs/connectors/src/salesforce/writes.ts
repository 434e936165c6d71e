import type { Signal } from '../failure-table';
import { assertBatchSize, refused } from '../provider-call';
import type { BatchCreate, BatchUpdate, CreateWrite, DeleteWrite, UpdateWrite } from '../requests';
import type { RecordResult } from '../results';
import { batchRecordsMax, itemFailure, salesforce, type SalesforceAnswer, type SalesforceApi } from './call-salesforce';
import { unanswered } from './failure-tables';
import { failed, sendCollection } from './match-outcomes';
import { resendCreates } from './resend';
import { toSent } from './values';
import { idRule, isObjectName, isRecordId, objectRule, paths, readSaved } from './wire';

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
  if (recordId !== undefined) return answer.body === undefined || saved?.success ? { ok: true, recordId } : unconfirmed;
  if (saved?.id === undefined) return withoutId;
  return saved.success === true ? { ok: true, recordId: saved.id } : mayBeCreated;
}

const withoutId = failed(unanswered.create.class, 'Salesforce answered with success but without a record id');
const mayBeCreated = failed(
  unanswered.create.class,
  'Salesforce answered with an id but does not say that it created the record',
);
const unconfirmed = failed(
  unanswered.single.class,
  'Salesforce answered with success but does not say so of the record',
);

/** An object name is part of the path, where it cannot be escaped into a name of another form. */
function refusedObject(objectName: string): RecordResult | undefined {
  return isObjectName(objectName) ? undefined : refuse(objectRule(objectName));
}

function refusedId(recordId: string): RecordResult | undefined {
  return isRecordId(recordId) ? undefined : refuse(idRule(recordId));
}

/** Not sent: what is wrong can be seen here. */
function refuse(message: string): RecordResult {
  return { ok: false, error: refused(message) };
}

/** `POST /sobjects/{object}` with the fields as they are. Source: reference B2. */
export async function create(api: SalesforceApi, write: CreateWrite): Promise<RecordResult> {
  const { objectName, fields, headers, auth } = write;
  const refusal = refusedObject(objectName);
  if (refusal) return refusal;
  const [resent] = (write.isResend && (await resendCreates(api, { ...write, records: [write] }))) || [];
  if (resent) return resent;
  const path = paths.objects(objectName);
  const answer = await api.call(
    { operation: 'create', method: 'POST', path, body: toSent(fields, 'create'), headers },
    write,
  );
  return toRecordResult(answer, { write: 'create', token: auth.accessToken });
}

/** `PATCH /sobjects/{object}/{id}`, answered by an empty 204. Source: reference B2. */
export async function update(api: SalesforceApi, write: UpdateWrite): Promise<RecordResult> {
  const { objectName, recordId, headers, auth } = write;
  const refusal = refusedObject(objectName) ?? refusedId(recordId);
  if (refusal) return refusal;
  const path = paths.object(objectName, recordId);
  const body = toSent(write.fields, 'update');
  const answer = await api.call({ operation: 'update', method: 'PATCH', path, body, headers }, write);
  return toRecordResult(answer, { write: 'update', recordId, token: auth.accessToken });
}

/**
 * `DELETE /sobjects/{object}/{id}`, answered by an empty 204. A record that is not there is `not-found`, unless an earlier send
 * of the same may have deleted it. Source: reference B2, 1b.
 */
export async function deleteRecord(api: SalesforceApi, write: DeleteWrite): Promise<RecordResult> {
  const { objectName, recordId, headers, auth, isResend } = write;
  const refusal = refusedObject(objectName) ?? refusedId(recordId);
  if (refusal) return refusal;
  const path = paths.object(objectName, recordId);
  const answer = await api.call({ operation: 'delete', method: 'DELETE', path, isResend, headers }, write);
  return toRecordResult(answer, { write: 'delete', recordId, token: auth.accessToken });
}

/** `POST /composite/sobjects`: one call, 200 whatever becomes of the records. Source: reference B3. */
export async function batchCreate(api: SalesforceApi, write: BatchCreate): Promise<RecordResult[]> {
  const { objectName, records } = write;
  assertBatchSize(salesforce, batchRecordsMax, records.length);
  const refusal = refusedObject(objectName);
  if (refusal || records.length === 0) return records.map(() => refusal as RecordResult);
  const resent = write.isResend ? await resendCreates(api, write) : undefined;
  if (resent) return resent;
  const attributes = { type: objectName };
  const sent = records.map(({ fields }) => ({ ...toSent(fields, 'create'), attributes }));
  return sendCollection(api, write, { operation: 'batch-create', method: 'POST', path: paths.collections, sent });
}

/** `PATCH /composite/sobjects`. A record whose id has no Salesforce form is refused here and the others are sent. Source: reference B3. */
export async function batchUpdate(api: SalesforceApi, write: BatchUpdate): Promise<RecordResult[]> {
  const { objectName, records, allOrNone = false } = write;
  assertBatchSize(salesforce, batchRecordsMax, records.length);
  const refusal = refusedObject(objectName);
  if (refusal) return records.map(() => refusal);
  const valid = records.filter(({ recordId }) => isRecordId(recordId));
  const isStopped = valid.length === 0 || (allOrNone && valid.length < records.length);
  const attributes = { type: objectName };
  const sent = valid.map(({ recordId, fields }) => ({ ...toSent(fields, 'update'), attributes, id: recordId }));
  const call = { operation: 'batch-update', method: 'PATCH', path: paths.collections, sent } as const;
  const results = isStopped ? [] : await sendCollection(api, write, call);
  const outcomes = new Map(valid.map((item, at) => [item, results[at] ?? heldBack]));
  return records.map((item) => outcomes.get(item) ?? refuse(idRule(item.recordId)));
}

const heldBack = refuse('Not sent, because another record of the batch has an id that is none of Salesforce');
