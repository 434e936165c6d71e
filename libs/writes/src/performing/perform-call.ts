import type { ObservedQuota, ProviderFailure, RecordResult } from '@sluice/connectors';
import { retryOf } from '@sluice/errors';
import type { AttemptOutcome, RecordError } from '@sluice/store';
import { asStep } from '@sluice/telemetry';
import type { LiveCredentials, WritePlan } from '@sluice/types';
import { Attempt, failAll } from './attempt';
import { dropFilledFields, type Decided } from './drop-filled-fields';
import { isAllOrNone, isolateRefused, type Isolated } from './isolate-refused';
import type { Sendable, CallToPerform } from './sendable';

/** Which credentials an outcome speaks of. Holds no secret. */
export type UsedConnection = Pick<LiveCredentials, 'connectionId' | 'tokenVersion' | 'status'>;

/** The outcome per record, in the order of the records, and the exchange as the attempt keeps it. */
export interface PerformedCall {
  readonly results: readonly RecordResult[];
  /** Record indexes of each call that is to go on, because this one was refused whole for what may be one record. Usually empty. */
  readonly parts: Isolated['parts'];
  /** What was written of each record; undefined where it was not written, or needed no call. */
  readonly sentFields: readonly (WritePlan['fields'] | undefined)[];
  /** Provider calls made, reads among them. 0: nothing follows for the connection. */
  readonly calls: number;
  readonly attempt: AttemptOutcome;
  /** The connection as it was used last: what the outcome says is said of this token version. */
  readonly used: UsedConnection;
  /** The account's burst limit, where a reply stated it. */
  readonly quota?: ObservedQuota;
}

/**
 * Makes the provider call: one request for the whole call, after one read where a plan has `ifEmpty` fields; more only where the
 * provider refuses a token, or a read for one of its records. Never throws for what a provider does. The intent is committed before
 * this is called.
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
  const { results, parts } = await write(attempt);
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
async function write(attempt: Attempt): Promise<Isolated> {
  const { records } = attempt.request;
  const decided = await dropFilledFields(attempt);
  const failed = readFailureOfAll(attempt.request, [...decided.values()]);
  if (failed !== undefined) return { results: failAll(records, failed), parts: [] };
  const ready = [...decided.values()].flatMap((each) => (each.ok ? [each.record] : []));
  const toSend = ready.filter((record) => !isEmptyUpdate(record));
  const sent = toSend.length === 0 ? [] : await attempt.write(toSend);
  const { results, parts: halves } = isolateRefused(attempt.request, toSend, sent);
  // A call that goes on in parts goes on with all that is not at its end.
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

/** A record that needs no call is written as it is, unless it belongs to a batch that is all or none and failed. */
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

/** What the attempt's row says. It also tells of a refresh that went well. */
function toAttemptError(results: readonly RecordResult[], isReplayed: boolean): RecordError | undefined {
  const failure = results.find((result) => !result.ok)?.error;
  if (failure === undefined) return isReplayed ? { class: 'credentials', text: replayNote } : undefined;
  return { class: failure.class, text: isReplayed ? `${replayNote} ${failure.message}` : failure.message };
}
