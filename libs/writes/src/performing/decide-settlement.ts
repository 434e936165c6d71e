import { retryOf } from '@sluice/errors';
import type { ProviderFailure, RecordResult } from '@sluice/connectors';
import type { ClaimedCall, PendingRecord, RecordError, RecordSettlement, Settlement, Split } from '@sluice/store';
import type { PerformedCall } from './perform-call';
import type { Sendable } from './attempt';

export interface DecisionInput {
  readonly call: ClaimedCall;
  readonly records: readonly Sendable[];
  readonly performed: PerformedCall;
  /** Time from loading the records to now, in milliseconds: what their `leftMs` has shrunk by. */
  readonly elapsedMs: number;
  /** The provider's late-commit window, in unscaled milliseconds. */
  readonly lateCommitMs: number;
  readonly random: () => number;
}

/** Pause before the first lookup of a create of unknown outcome. */
const firstLookupMs = 500;
/** Longest such pause. Our choice: a provider's lower bound is meant for writes, and the record may be visible earlier. */
const firstLookupMaxMs = 60_000;

/** The settlement of an attempt. Pure. Source of the classes: connectors' tables. */
export function decideSettlement(given: DecisionInput): Settlement {
  const { call, records, performed } = given;
  // One draw for the whole call: the least of a hundred draws would be no backoff.
  const drawn = given.random();
  const input = { ...given, random: () => drawn };
  const apart = new Set(performed.parts.flat());
  const decided = records.map((record, at) => {
    const result = performed.results[at] as RecordResult;
    return apart.has(record.index) ? { settlement: toUntried(record, result) } : decideRecord(input, record, result);
  });
  const settlements = decided.map((each) => each.settlement);
  const next = apart.size > 0 ? ({ state: 'split', parts: performed.parts } as const) : decideNext(call, decided);
  return { ...toSettlement(given, settlements, next), attempt: performed.attempt };
}

/** The settlement of a call with what was decided of its records, in their order. */
export function toSettlement(
  { call, records, lateCommitMs }: Pick<DecisionInput, 'call' | 'records' | 'lateCommitMs'>,
  settlements: readonly RecordSettlement[],
  next: Settlement['next'],
): Settlement {
  return {
    ...call,
    isCreate: call.type === 'create',
    records: settlements,
    next,
    orderKeys: orderKeysOf(records, settlements),
    ...(call.type === 'create' ? {} : { barrierMs: lateCommitMs }),
  };
}

interface DecidedRecord {
  readonly settlement: RecordSettlement;
  readonly delayMs?: number;
  /** The provider's own lower bound. */
  readonly retryAfterMs?: number;
}

function decideRecord(input: DecisionInput, record: Sendable, result: RecordResult): DecidedRecord {
  const { index } = record;
  if (result.ok) return { settlement: toSucceeded(index, result) };
  const error = toRecordError(result.error);
  const isCreate = input.call.type === 'create';
  // An earlier attempt may have created the very record that this one collided with: it is looked up before the refusal counts.
  if (result.error.class === 'conflict' && isCreate && record.firstSentAt !== undefined) {
    return { settlement: { index, kind: 'again', sendState: 'maybe', error } };
  }
  if (retryOf(result.error.class) === 'never') return { settlement: { index, kind: 'failed', error } };
  const isAmbiguous = result.error.class === 'unknown' || result.error.class === 'timeout';
  const retryAfterMs = result.error.retryAfterMs ?? 0;
  if (isAmbiguous && isCreate) return { settlement: { index, kind: 'again', sendState: 'maybe', error }, retryAfterMs };
  const attempt = input.call.attempts + 1;
  const delayMs = nextDelayMs(attempt, record.leftMs - input.elapsedMs, retryAfterMs, input.random);
  // An earlier attempt without a reply leaves a doubt that a later refusal does not remove.
  const isMaybe = isAmbiguous || record.sendState === 'maybe';
  // The provider's lower bound also holds for the last try: a record that cannot be tried before its deadline ends here.
  if (delayMs === undefined || isSpent(input, record, result.error))
    return { settlement: isMaybe ? toUnknown(index, error) : { index, kind: 'failed', error } };
  return { settlement: { index, kind: 'again', sendState: isMaybe ? 'maybe' : 'none', error }, delayMs, retryAfterMs };
}

function toRecordError({ class: failed, message: text, problems }: ProviderFailure): RecordError {
  return { class: failed, text, ...(problems && { problems }) };
}

/**
 * Another try hardly helps: the bound of the signal's row is reached, and the previous try ended the same way. Compared by text, because
 * earlier sends may have met other signals of the class, which the bound does not count; a text that differs errs towards another try.
 */
function isSpent({ call }: DecisionInput, { lastError }: Sendable, failure: ProviderFailure): boolean {
  const { triesMax = Infinity } = failure;
  const isAsBefore = lastError?.class === failure.class && lastError.text === failure.message;
  return call.attempts + 1 >= triesMax && isAsBefore;
}

/**
 * A record that continues in another call: the refusal may be another record's fault, and nothing of this one was written. The refusal stays
 * with it, which ends the dividing at the deadline; a call whose one try came after its deadline is split until single records remain.
 */
function toUntried({ index, sendState, firstSentAt, leftMs }: Sendable, result: RecordResult): RecordSettlement {
  const isLate = leftMs <= 0 && firstSentAt === undefined;
  const text = result.ok || isLate ? undefined : `Refused together with others: ${result.error.message}`;
  const error = result.ok || text === undefined ? {} : { error: { class: result.error.class, text } };
  const untried = firstSentAt === undefined ? ({ isUntried: true } as const) : {};
  return { index, kind: 'again', sendState: sendState === 'maybe' ? 'maybe' : 'none', ...error, ...untried };
}

/** The end of a record that may have been written. The text states it, because a caller may see nothing else. */
export function toUnknown(index: number, error: RecordError): RecordSettlement {
  return { index, kind: 'unknown', error: { ...error, text: `Outcome unknown: ${error.text}` } };
}

/** The records of a call go together: as early as the most urgent one needs, but before no record's lower bound, also for lookups. */
function decideNext(call: ClaimedCall, decided: readonly DecidedRecord[]): Settlement['next'] {
  const again = decided.flatMap(({ settlement }) => (settlement.kind === 'again' ? [settlement] : []));
  if (again.length === 0) return { state: 'done' };
  const isInDoubt = call.type === 'create' && again.some((record) => record.sendState === 'maybe');
  const boundMs = Math.max(0, ...decided.map((each) => each.retryAfterMs ?? 0));
  if (isInDoubt) return { state: 'in_doubt', delayMs: Math.max(firstLookupMs, Math.min(boundMs, firstLookupMaxMs)) };
  const earliestMs = Math.min(...decided.flatMap((each) => each.delayMs ?? []));
  return { state: 'ready', delayMs: Math.max(earliestMs, boundMs) };
}

/** Order keys of the records that end here: what waits behind them may go. */
function orderKeysOf(records: readonly Sendable[], settlements: readonly RecordSettlement[]): string[] {
  const ended = new Set(settlements.flatMap((each) => (each.kind === 'again' ? [] : [each.index])));
  return records.flatMap((record) =>
    ended.has(record.index) && record.orderKey !== undefined ? [record.orderKey] : [],
  );
}

type Written = Extract<RecordResult, { readonly ok: true }>;

function toSucceeded(index: number, { recordId, warnings }: Written): RecordSettlement {
  return { index, kind: 'succeeded', providerId: recordId, ...(warnings && { warnings: warningsWithin(warnings) }) };
}

/** Characters of one record's warnings that are stored: a hundred records with errors and warnings then fit a page of a megabyte. */
const warningCharactersMax = 6_000;

/** The first warnings, and the number of the others: a provider may send megabytes of them. */
export function warningsWithin(warnings: readonly string[]): readonly string[] {
  let characters = 0;
  const end = warnings.findIndex((warning) => (characters += warning.length) > warningCharactersMax);
  if (end === -1) return warnings;
  return [...warnings.slice(0, end), `${warnings.length - end} more, which are not kept.`];
}

/** A synchronous call that was made; without `attempt`, one that was withheld. */
interface SynchronousOutcome extends Pick<DecisionInput, 'call' | 'records' | 'lateCommitMs'> {
  readonly performed: Pick<PerformedCall, 'results' | 'parts'> & Partial<Pick<PerformedCall, 'attempt'>>;
  /** What the parts of a refused call run under. */
  readonly lease: NonNullable<Split['lease']>;
}

/**
 * The settlement of a synchronous write. Every record ends here, because no caller waits for a later attempt. A failure that an asynchronous write would
 * repeat is final, and an ambiguous one is "outcome unknown". A call that was refused whole for what may be one record continues as its parts, which
 * run at once. Pure.
 */
export function settleSynchronous(input: SynchronousOutcome): Settlement {
  const { records, performed, lease } = input;
  const { parts, attempt } = performed;
  const apart = new Set(parts.flat());
  const settlements = records.map((record, at) => {
    const result = performed.results[at] as RecordResult;
    return apart.has(record.index) ? toUntried(record, result) : toFinal(record.index, result);
  });
  const next: Settlement['next'] = apart.size > 0 ? { state: 'split', parts, lease } : { state: 'done' };
  return { ...toSettlement(input, settlements, next), ...(attempt && { attempt }) };
}

function toFinal(index: number, result: RecordResult): RecordSettlement {
  if (result.ok) return toSucceeded(index, result);
  const error = toRecordError(result.error);
  const isAmbiguous = result.error.class === 'unknown' || result.error.class === 'timeout';
  return isAmbiguous ? toUnknown(index, error) : { index, kind: 'failed', error };
}

/** What the line `operation.ended` says of a failure. */
export interface LoggedFailure {
  readonly class: string;
  /** The HTTP status of the attempt. Absent: there was no reply, or nothing was sent. */
  readonly answered?: number;
  /** What the caller sent as `Sluice-Record-Ref`. */
  readonly ref?: string;
  /** Of its first problem that names a field, else of its first: the provider's code, and the field as the caller names it. */
  readonly code?: string;
  readonly field?: string;
}

/**
 * Of its first record that failed, without the provider's sentence, which may quote what a customer wrote.
 * @param sent the records of the call, as they were loaded
 */
export function failureOf(
  { attempt, records }: Settlement,
  sent: readonly Pick<PendingRecord, 'index' | 'ref'>[] = [],
): LoggedFailure | undefined {
  for (const record of records) {
    if (record.kind !== 'failed' && record.kind !== 'unknown') continue;
    const { class: failed, problems = [] } = record.error;
    const ref = sent.find(({ index }) => index === record.index)?.ref;
    const { code, field } = problems.find((problem) => problem.field !== undefined) ?? problems[0] ?? {};
    return {
      class: failed,
      ...(attempt?.status !== undefined && { answered: attempt.status }),
      ...(ref !== undefined && { ref }),
      ...(code !== undefined && { code }),
      ...(field !== undefined && { field }),
    };
  }
  return undefined;
}

/** Base 2 s, doubling, cap 15 min. */
const baseMs = 2_000;
const capMs = 15 * 60_000;
/** How long before its deadline a record is tried a last time: enough for one call and its settlement. */
const lastTryMs = 1_000;

/**
 * Delay before the next attempt, in milliseconds, with full jitter.
 * @param attempt attempts already made, 1 for the first retry
 * @param leftMs time left until the retry deadline
 * @param retryAfterMs the provider's own lower bound; never shortened
 * @param random from 0 up to 1
 * @returns clipped to a last try just before the deadline; undefined after it, or when the lower bound lies behind it
 */
export function nextDelayMs(
  attempt: number,
  leftMs: number,
  retryAfterMs: number,
  random: () => number,
): number | undefined {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 20));
  const wanted = Math.max(retryAfterMs, Math.round(random() * ceiling));
  if (wanted <= leftMs - lastTryMs) return wanted;
  const last = leftMs - lastTryMs;
  return last > 0 && last >= retryAfterMs ? last : undefined;
}
