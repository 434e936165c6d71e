import type { ObservedQuota, ProviderFailure, RecordResult, ProviderRecord, RecordRead } from '@sluice/connectors';
import { retryOf, ProviderError } from '@sluice/errors';
import type { AttemptOutcome, RecordError } from '@sluice/store';
import { asStep } from '@sluice/telemetry';
import { fieldSteps, type RecordProblem, type WritePlan } from '@sluice/types';
import { Attempt, failAll, type Sendable, type CallToPerform, toReadFailure, type UsedConnection } from './attempt';

/** The outcome per record, in the order of the records, and the exchange as the attempt keeps it. */
export interface PerformedCall {
  readonly results: readonly RecordResult[];
  /** Record indexes of each call that continues, because this one was refused as a whole for what may be one record. Usually empty. */
  readonly parts: Isolated['parts'];
  /** What was written of each record; undefined where it was not written, or needed no call. */
  readonly sentFields: readonly (WritePlan['fields'] | undefined)[];
  /** Provider calls made, reads among them. 0: nothing follows for the connection. */
  readonly calls: number;
  readonly attempt: AttemptOutcome;
  /** The connection as it was used last: the outcome belongs to this token version. */
  readonly used: UsedConnection;
  /** The account's burst limit, where a reply stated it. */
  readonly quota?: ObservedQuota;
}

/**
 * Makes the provider call: one request for the whole call, after one read where a plan has `ifEmpty` fields. It makes more only where the provider
 * refuses a token, or refuses a read for one of its records. Never throws for what a provider does. The intent is committed before this is called.
 */
export async function performCall(request: CallToPerform): Promise<PerformedCall> {
  const { call, records, connector } = request;
  const facts = { provider: connector.provider, objectName: call.objectName, type: call.type, records: records.length };
  return await asStep(
    'call.perform',
    facts,
    () => perform(request),
    ({ attempt }) => attempt.error?.class,
  );
}

async function perform(request: CallToPerform): Promise<PerformedCall> {
  const startedAtMs = performance.now();
  const attempt = new Attempt(request);
  const { results: outcomes, parts } = await sendUnfilled(attempt);
  const results = outcomes.map((result, at) => inCallersNames(result, request.records[at]?.write ?? { fields: {} }));
  const { exchange, used, calls } = attempt;
  const error = toAttemptError(results, attempt.isReplayed);
  return {
    results,
    parts,
    sentFields: request.records.map(({ index }) => attempt.written.get(index)),
    calls,
    used,
    ...(exchange?.quota === undefined ? {} : { quota: exchange.quota }),
    attempt: {
      durationMs: performance.now() - startedAtMs,
      ...(exchange?.status === undefined ? {} : { status: exchange.status }),
      ...(exchange?.providerRequestId === undefined ? {} : { providerRequestId: exchange.providerRequestId }),
      ...(error === undefined ? {} : { error }),
    },
  };
}

/** Outcomes by index of the record. */
type Outcomes = ReadonlyMap<number, RecordResult>;

/** A record whose every field is filled needs no call: its slot in the results stays. */
async function sendUnfilled(attempt: Attempt): Promise<Isolated> {
  const { records } = attempt.request;
  const decided = await dropFilledFields(attempt);
  const failed = readFailureOfAll(attempt.request, [...decided.values()]);
  if (failed !== undefined) return { results: failAll(records, failed), parts: [] };
  const ready = [...decided.values()].flatMap((each) => (each.ok ? [each.record] : []));
  const toSend = ready.filter((record) => !isEmptyUpdate(record));
  const sent = toSend.length === 0 ? [] : await attempt.write(toSend);
  const { results, parts: halves } = isolateRefused(attempt.request, toSend, sent);
  // A call that continues in parts takes every record along that has not ended.
  const unread = [...decided].flatMap(([index, each]) => (isToRetry(each) ? [index] : []));
  const parts = halves.length > 0 && unread.length > 0 ? [...halves, unread] : halves;
  const outcomes: Outcomes = new Map(toSend.map(({ index }, at) => [index, results[at] as RecordResult]));
  return {
    results: records.map((record) => {
      const { index } = record;
      return outcomes.get(index) ?? withoutCall(attempt.request, record, decided.get(index), outcomes);
    }),
    parts,
  };
}

/** A read that failed for a reason of its own stops the call; one that was refused for a record, or for its field, stops that record. */
function readFailureOfAll(request: CallToPerform, decided: readonly Decided[]): ProviderFailure | undefined {
  const failures = decided.flatMap((each) => (each.ok ? [] : [each.failure]));
  const isOfOne = ({ scope, mayBeOneRecord }: ProviderFailure) => scope === 'record' || mayBeOneRecord === true;
  return failures.find((failure) => isAllOrNone(request) || !isOfOne(failure));
}

/** A record that needs no call counts as written, unless it belongs to an all-or-none batch that failed. */
function withoutCall(
  request: CallToPerform,
  { write: { recordId } }: Sendable,
  decided: Decided | undefined,
  outcomes: Outcomes,
): RecordResult {
  if (decided?.ok === false) return { ok: false, error: decided.failure };
  const failed = isAllOrNone(request) ? [...outcomes.values()].find((result) => !result.ok) : undefined;
  return failed ?? { ok: true, recordId: recordId as string };
}

function isToRetry(decided: Decided): boolean {
  return !decided.ok && retryOf(decided.failure.class) !== 'never';
}

function isEmptyUpdate({ write: { type, fields, associations } }: Sendable): boolean {
  return type === 'update' && Object.keys(fields).length === 0 && !associations?.length;
}

const replayNote = 'The access token was refused and refreshed, and the call was made again.';

/** The error of the attempt's row, which also states a successful refresh. */
function toAttemptError(results: readonly RecordResult[], isReplayed: boolean): RecordError | undefined {
  const failure = results.find((result) => !result.ok)?.error;
  if (failure === undefined) return isReplayed ? { class: 'credentials', text: replayNote } : undefined;
  return { class: failure.class, text: isReplayed ? `${replayNote} ${failure.message}` : failure.message };
}

/** The outcome of a call that was made, and what of it is to be sent apart. */
export interface Isolated {
  /** In the order of the records. What is sent apart has the refusal as its outcome so far. */
  readonly results: readonly RecordResult[];
  /** Record indexes of each call that continues, in the order of the records. Empty: the results stand. */
  readonly parts: readonly (readonly number[])[];
}

/**
 * Divides a call that was refused as a whole for what may be a single record, or the number of them. Where the provider names fields, the records
 * that carry one are bad and the others continue together. Else both halves continue. A call that is too large continues as quarters, which
 * waste a third of the calls that halves do. Then k bad ones of n cost at most 2k * ceil(log2 n) + 1 calls, and 2n - 1 in all. Nothing of a refused call was written, so
 * no record is sent twice. What has ended stays as it is; other updates go along, and beside a create that is to be looked up or tried again nothing
 * is divided. A batch that is all or none is left as the provider decided. Pure. Source: specification, batchPolicy: successful records are committed
 * even if others fail.
 */
export function isolateRefused(
  request: Pick<CallToPerform, 'call' | 'connector'>,
  records: readonly Sendable[],
  results: readonly RecordResult[],
): Isolated {
  const refusal = results.find(isToDivide)?.error;
  if (refusal === undefined || records.length < 2 || isAllOrNone(request)) return { results, parts: [] };
  const isOpen = (at: number) => !isToDivide(results[at]) && !hasEnded(results[at], records[at]);
  if (request.call.type === 'create' && records.some((_, at) => isOpen(at))) return { results, parts: [] };
  const carries = carriesOneOf(refusal.refusedFields ?? []);
  const isNamed = (at: number) => isToDivide(results[at]) && carries(records[at] as Sendable);
  const others = records.filter((_, at) => isOpen(at) || (isToDivide(results[at]) && !isNamed(at)));
  const indexes = others.map(({ index }) => index);
  const isFewer = indexes.length < records.length;
  return {
    results: results.map((result, at) =>
      isNamed(at) ? { ok: false, error: { ...refusal, scope: 'record' } } : result,
    ),
    parts: isFewer ? [indexes].filter(({ length }) => length > 0) : inParts(indexes, refusal.isOfSize ? 4 : 2),
  };
}

/** Whether the provider itself undoes what it wrote of this call when one record fails. */
export function isAllOrNone({ call, connector }: Pick<CallToPerform, 'call' | 'connector'>): boolean {
  return call.allOrNone && call.type !== 'delete' && connector.capabilities.allOrNone[call.type];
}

type Refused = Extract<RecordResult, { readonly ok: false }>;

function isToDivide(result: RecordResult | undefined): result is Refused {
  return result?.ok === false && result.error.mayBeOneRecord === true;
}

/** A conflict of what was sent before may be with its own earlier send: it is looked up. */
function hasEnded(result: RecordResult | undefined, record: Sendable | undefined): boolean {
  if (result?.ok !== false) return true;
  const isOwn = result.error.class === 'conflict' && record?.firstSentAt !== undefined;
  return retryOf(result.error.class) === 'never' && !isOwn;
}

function carriesOneOf(fields: readonly string[]): (record: Sendable) => boolean {
  return (record) => fields.some((field) => Object.hasOwn(record.write.fields, field));
}

/** At most `count` parts, in order; only the last may be smaller than the others. */
export function inParts(indexes: readonly number[], count: number): (readonly number[])[] {
  const size = Math.ceil(indexes.length / count);
  const starts = Array.from({ length: Math.ceil(indexes.length / size) }, (_, at) => at * size);
  return starts.map((start) => indexes.slice(start, start + size));
}

/** A record with its `ifEmpty` fields decided, or why it could not be read: nothing is written blindly. */
export type Decided =
  { readonly ok: true; readonly record: Sendable } | { readonly ok: false; readonly failure: ProviderFailure };

/**
 * Drops `ifEmpty` fields that already hold a value at the provider, in one extra read per call, by index of the record. Unset is null,
 * absent or ""; false and 0 are values. Repeated on every attempt, so that a value the customer typed meanwhile is kept. A read that is
 * refused for what may be one record is halved, and a record that alone cannot be read fails alone. The race between read and write is documented.
 * Source: specification, writeOnUpdate.
 */
export async function dropFilledFields(attempt: Attempt): Promise<ReadonlyMap<number, Decided>> {
  const { records } = attempt.request;
  const conditional = records.filter(({ write }) => (write.ifEmpty?.length ?? 0) > 0);
  const read = conditional.length === 0 ? new Map<number, Decided>() : await decide(attempt, conditional);
  return new Map(records.map((record) => [record.index, read.get(record.index) ?? { ok: true, record }]));
}

async function decide(attempt: Attempt, records: readonly Sendable[]): Promise<Map<number, Decided>> {
  const { provider, readBatch } = attempt.request.connector;
  if (readBatch === undefined) return allOf(records, cannotRead(provider));
  const ids = [...new Set(records.map(({ write }) => write.recordId as string))];
  const fields = [...new Set(records.flatMap(({ write }) => write.ifEmpty ?? []))];
  const read = await attempt.read(ids, fields);
  if (read.ok) {
    const byId = new Map(ids.map((id, at) => [id, read.found[at]]));
    return new Map(
      records.map((record) => [record.index, decideIfEmpty(record, byId.get(record.write.recordId as string))]),
    );
  }
  if (read.failure.mayBeOneRecord !== true || records.length === 1) return allOf(records, read.failure);
  const middle = Math.ceil(records.length / 2);
  const first = await decide(attempt, records.slice(0, middle));
  return new Map([...first, ...(await decide(attempt, records.slice(middle)))]);
}

function decideIfEmpty(record: Sendable, current: RecordRead): Decided {
  if (current instanceof ProviderError) return { ok: false, failure: { ...toReadFailure(current), scope: 'record' } };
  return { ok: true, record: withoutFilled(record, current) };
}

function allOf(records: readonly Sendable[], failure: ProviderFailure): Map<number, Decided> {
  return new Map(records.map(({ index }) => [index, { ok: false, failure }]));
}

function cannotRead(provider: string): ProviderFailure {
  return { class: 'rejected', message: `${provider} cannot read records, which ifEmpty needs.`, scope: 'call' };
}

function withoutFilled(record: Sendable, current: ProviderRecord | undefined): Sendable {
  const filled = new Set(record.write.ifEmpty?.filter((field) => !isEmpty(current?.fields[field])));
  const fields = Object.fromEntries(Object.entries(record.write.fields).filter(([field]) => !filled.has(field)));
  return { ...record, write: { ...record.write, fields } };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Where a text names fields: before a colon, in quotes. The name of a JSON member, which a colon follows, is none. */
const beforeColon = /(?<=^|; )[^:;"'`]{1,100}(?=: )/g;
const inQuotes = /(?<=(?<!\w)(["'`]))[^"'`\s]{1,100}(?=\1(?!\s*:))/g;
const inList = /\(fields: [^()]*\)/g;

/**
 * A failure in which the keys of the provider's fields stand behind the names that the caller used: `tier (d4de…)`. Only keys that are no words are
 * replaced anywhere (`cf_tier`, 40 hexadecimal digits). A word may belong to the provider's sentence, so it is replaced only where the text names a
 * field. Its problems get the caller's names beside the provider's.
 */
export function inCallersNames(result: RecordResult, write: Pick<WritePlan, 'notes' | 'fields'>): RecordResult {
  if (result.ok) return result;
  const { notes = [] } = write;
  const problems = result.error.problems?.map((problem) => ({ ...callersName(problem, write), ...problem }));
  let { message } = result.error;
  const words = new Map<string, string>();
  for (const { field, providerField = field, sent } of notes) {
    const key = String(fieldSteps(providerField).at(-1));
    if (!sent || key === field) continue;
    if (/^[a-z]*$/i.test(key)) {
      words.set(key, field);
      continue;
    }
    const whole = new RegExp(`(?<![\\w$])${key.replace(/[^\w]/g, '\\$&')}(?!\\w)`, 'g');
    message = message.replace(whole, (found) => `${field} (${found})`);
  }
  if (words.size > 0) {
    const callers = (name: string) => words.get(name) ?? name;
    message = message.replace(beforeColon, callers).replace(inQuotes, callers);
    message = message.replace(inList, (list) => list.replace(/[^,()\s]+/g, callers));
  }
  if (message === result.error.message && problems === undefined) return result;
  return { ok: false, error: { ...result.error, message, ...(problems && { problems }) } };
}

/** A reply spells a field as the provider does, which may be another case than was sent. */
function callersName(
  { providerField }: RecordProblem,
  { notes = [], fields }: Pick<WritePlan, 'notes' | 'fields'>,
): Pick<RecordProblem, 'field'> {
  if (providerField === undefined) return {};
  const isMeant = (name: string): boolean => name.toLowerCase() === providerField.toLowerCase();
  const sent = notes.filter((note) => note.sent);
  const whole = sent.find(({ providerField: of = '' }) => isMeant(of));
  const inside = sent.find(({ providerField: of = '' }) => isMeant(String(fieldSteps(of).at(-1))));
  return { field: whole?.field ?? Object.keys(fields).find(isMeant) ?? inside?.field ?? providerField };
}
