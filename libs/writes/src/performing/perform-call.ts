import type {
  Auth,
  Connector,
  ObservedExchange,
  ObservedQuota,
  ProviderFailure,
  RecordResult,
} from '@sluice/connectors';
import { DefectError } from '@sluice/errors';
import type { QuotaAnswer } from '@sluice/redis';
import type { AttemptOutcome, ClaimedCall, RecordError } from '@sluice/store';
import type { LiveCredentials } from '@sluice/types';
import type { Hold } from '../leasing/lease-keeper';
import { authOf } from './auth-of';
import { dropFilledFields } from './drop-filled-fields';
import { newerCredentials, type RefreshUsed } from './newer-credentials';
import type { Sendable } from './sendable';
import { sendIsolating } from './send-isolating';
import { sendRecords } from './send-records';

/** One provider call to make. */
export interface CallToPerform {
  readonly call: Pick<ClaimedCall, 'objectName' | 'type' | 'allOrNone' | 'traceparent'>;
  readonly records: readonly Sendable[];
  readonly connector: Connector;
  /** What is sent with first. */
  readonly live: LiveCredentials;
  /** Asked once, after a 401. Absent: a 401 is the last word. */
  readonly refresh?: RefreshUsed;
  readonly hold: Pick<Hold, 'signal' | 'mayStillSend'>;
  /** Asked before each call after the first, which a batch needs whose bad records are found by halving. */
  readonly takeQuota?: () => Promise<QuotaAnswer>;
}

/** A call with the credentials of one try. */
export type AuthorizedCall = CallToPerform & { readonly auth: Auth };

/** Which credentials an outcome speaks of. Holds no secret. */
export type UsedConnection = Pick<LiveCredentials, 'connectionId' | 'tokenVersion' | 'status'>;

/** The outcome per record, in the order of the records, and the exchange as the attempt keeps it. */
export interface PerformedCall {
  readonly results: readonly RecordResult[];
  readonly attempt: AttemptOutcome;
  /** The connection as it was used last: what the outcome says is said of this token version. */
  readonly used: UsedConnection;
  /** The account's burst limit, where a reply stated it. */
  readonly quota?: ObservedQuota;
}

/**
 * Makes the provider call: one request for the whole call, after one read where a plan has `ifEmpty` fields; more only where the
 * provider refuses a batch for one of its records. A 401 writes nothing, so after a refresh the whole is done once more, inside the same attempt.
 * Never throws for what a provider does. The intent is committed before this is called.
 */
export async function performCall(request: CallToPerform): Promise<PerformedCall> {
  const startedAtMs = performance.now();
  let seen: ObservedExchange | undefined;
  const observe = (exchange: ObservedExchange): void => {
    seen = exchange;
  };
  const { results, live, isReplayed } = await sendRefreshed({ ...request, observe });
  const { connectionId, tokenVersion, status } = live;
  const error = toAttemptError(results, isReplayed);
  return {
    results,
    used: { connectionId, tokenVersion, status },
    ...(seen?.quota === undefined ? {} : { quota: seen.quota }),
    attempt: {
      durationMs: performance.now() - startedAtMs,
      ...(seen?.status === undefined ? {} : { status: seen.status }),
      ...(seen?.providerRequestId === undefined ? {} : { providerRequestId: seen.providerRequestId }),
      ...(error === undefined ? {} : { error }),
    },
  };
}

const replayNote = 'The access token was refused and refreshed, and the call was made again.';

/** What the attempt's row says. It also tells of a refresh that went well. */
function toAttemptError(results: readonly RecordResult[], isReplayed: boolean): RecordError | undefined {
  const failure = results.find((result) => !result.ok)?.error;
  if (failure === undefined) return isReplayed ? { class: 'credentials', text: replayNote } : undefined;
  return { class: failure.class, text: isReplayed ? `${replayNote} ${failure.message}` : failure.message };
}

type Observed = { readonly observe: (exchange: ObservedExchange) => void };
/** A call with what watches it. */
export type ObservedCall = AuthorizedCall & Observed;

interface Sent {
  readonly results: readonly RecordResult[];
  readonly live: LiveCredentials;
  readonly isReplayed: boolean;
}

async function sendRefreshed(request: CallToPerform & Observed): Promise<Sent> {
  const { live, refresh } = request;
  const results = await sendIsolating({ ...request, auth: authOf(live) }, send);
  if (refresh === undefined || !isRefused(results)) return { results, live, isReplayed: false };
  const newer = await newerCredentials(refresh, live);
  if (newer === undefined) return { results, live, isReplayed: false };
  if (!newer.ok) {
    const failed = results.map((result): RecordResult => (result.ok ? result : { ok: false, error: newer.failure }));
    return { results: failed, live, isReplayed: false };
  }
  const again = await sendIsolating({ ...request, auth: authOf(newer.live) }, send);
  return { results: again, live: newer.live, isReplayed: true };
}

/** A 401 for the whole call: nothing was written. Records that needed no call may stand beside it. */
function isRefused(results: readonly RecordResult[]): boolean {
  const failures = results.flatMap((result) => (result.ok ? [] : [result.error]));
  const isOfCall = ({ scope }: ProviderFailure) => scope !== 'record' || results.length === 1;
  return failures.length > 0 && failures.every((each) => each.class === 'credentials' && isOfCall(each));
}

async function send(request: ObservedCall): Promise<readonly RecordResult[]> {
  const reading = await dropFilledFields(request);
  if (!reading.ok) return request.records.map(() => ({ ok: false, error: reading.failure }));
  // A record whose every field is filled needs no call: its slot in the results stays.
  const toSend = reading.records.filter((record) => !isEmptyUpdate(record));
  const sent = toSend.length === 0 ? [] : await sendInTime({ ...request, records: toSend });
  if (sent.length !== toSend.length) throw defect(request, sent.length);
  const byIndex = new Map(toSend.map((record, at) => [record.index, sent[at] as RecordResult]));
  return reading.records.map((record) => byIndex.get(record.index) ?? withoutCall(request, record, sent));
}

/** A record that needs no call is written as it is, unless it belongs to a batch that is all or none and failed. */
function withoutCall(
  { call, connector }: CallToPerform,
  { write }: Sendable,
  sent: readonly RecordResult[],
): RecordResult {
  const { allOrNone } = connector.capabilities;
  const isWhole = call.allOrNone && call.type === 'update' && allOrNone.update;
  const failed = isWhole ? sent.find((result) => !result.ok) : undefined;
  return failed ?? { ok: true, recordId: write.recordId as string };
}

function isEmptyUpdate({ write }: Sendable): boolean {
  return write.type === 'update' && Object.keys(write.fields).length === 0 && !write.associations?.length;
}

/** Asked here, because the process may have been paused since the intent or during the read, and nothing has aborted it yet. */
async function sendInTime(request: ObservedCall): Promise<readonly RecordResult[]> {
  if (request.hold.mayStillSend()) return await sendRecords(request);
  const error = {
    class: 'unavailable',
    message: 'Not sent: the lease of the call has run out.',
    scope: 'call',
  } as const;
  return request.records.map(() => ({ ok: false, error }));
}

function defect(request: CallToPerform, results: number): DefectError {
  const detail = `${request.connector.provider} answered ${results} of ${request.records.length} records.`;
  return new DefectError({ code: 'service.defect', detail });
}
