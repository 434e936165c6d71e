import type { Connector, FoundCreated, ProviderFailure } from '@sluice/connectors';
import { retryOf } from '@sluice/errors';
import type { ClaimedCall, Doubt, RecordError, RecordSettlement, Settlement, WriteStore } from '@sluice/store';
import type { LiveCredentials } from '@sluice/types';
import { leaseMs } from '../leasing/lease-keeper';
import { authOf } from './auth-of';
import { orderKeysOf, toUnknown } from './decide-settlement';
import { newerCredentials, type RefreshUsed } from './newer-credentials';
import type { Sendable } from './sendable';

export interface ReconcileInput {
  readonly call: ClaimedCall;
  readonly records: readonly Sendable[];
  readonly connector: Connector;
  /** What is looked with first. */
  readonly live: LiveCredentials;
  /** Asked once, after a 401. */
  readonly refresh?: RefreshUsed;
  readonly signal: AbortSignal;
  /** Longest time a sender may still have been sending: its lease and the call's timeout, in milliseconds. */
  readonly senderMs: number;
  /** Divides the provider's windows; 1 in production. */
  readonly timeScale: number;
  /** @default Math.random */
  readonly random?: () => number;
}

const jitterMaxMs = 500;

type ReconcileStore = Pick<WriteStore, 'readDoubt' | 'findClaimedIds'>;

/**
 * Finds out what became of a call whose outcome is not known, without sending it again.
 * Order: 1. evidence of replies that lost their fence. 2. Look at the provider. 3. Adopt what is found and unclaimed; before
 * the last window has passed nothing is "not created". 4. Send again only where looking is consistent; else the outcome
 * is unknown for good. A synchronous write is never sent again: nobody waits for it any more.
 * Source: design, section 5.12.
 */
export async function reconcileCall(store: ReconcileStore, input: ReconcileInput): Promise<Settlement> {
  const { call, records } = input;
  const doubt = await store.readDoubt(call, Math.max(0, ...records.map((record) => windowMs(input, record))));
  if (call.type !== 'create')
    return settle(
      input,
      records.map((record) => evidenceOf(record, doubt) ?? repeatUpdate(call, record)),
      0,
    );
  const open = records.filter((record) => record.sendState !== 'none' && evidenceOf(record, doubt) === undefined);
  const found = new Map<number, FoundCreated>();
  const looks = open.length === 0 ? [] : await look(input, open);
  for (const [at, record] of open.entries()) found.set(record.index, looks[at] as FoundCreated);
  const ids = [...found.values()].flatMap((each) =>
    each.kind === 'found' ? each.matches.map((match) => match.recordId) : [],
  );
  const claimed = new Set([...doubt.twinIds, ...(ids.length === 0 ? [] : await store.findClaimedIds(call, ids))]);
  const settlements = records.map((record) => {
    return evidenceOf(record, doubt) ?? resolve(input, record, { found: found.get(record.index), doubt, claimed });
  });
  return settle(input, settlements, nextLookMs(input, records, doubt));
}

/** Absolute values may be written twice; but a synchronous caller has gone, and a deadline stops sends. */
function repeatUpdate(call: ClaimedCall, record: Sendable): RecordSettlement {
  if (call.mode === 'synchronous') return outcomeUnknown(record, 'because its caller no longer waits');
  if (record.leftMs <= 0) return outcomeUnknown(record, 'because its retry deadline has passed');
  return { index: record.index, kind: 'again', sendState: 'maybe', ...lastErrorOf(record) };
}

/**
 * Only a clear answer is evidence: a sender that says "unknown" knows no more than we do. A success counts from whichever attempt;
 * a refusal, and "not applied", only from the newest, because a later attempt may have written what an earlier one could not.
 */
function evidenceOf(record: Sendable, doubt: Doubt): RecordSettlement | undefined {
  const own = doubt.evidence.filter(({ settlement }) => settlement.index === record.index);
  const written = own.find(({ settlement }) => settlement.kind === 'succeeded');
  const newest = own.find(({ isNewest, settlement }) => isNewest && isClear(settlement));
  return (written ?? newest)?.settlement;
}

function isClear(settlement: RecordSettlement): boolean {
  return settlement.kind === 'failed' || (settlement.kind === 'again' && settlement.sendState === 'none');
}

/** Looks; once more with newer credentials when the provider refuses these. */
async function look(input: ReconcileInput, records: readonly Sendable[]): Promise<FoundCreated[]> {
  const looks = await lookWith(input, input.live, records);
  if (input.refresh === undefined || !looks.some(isRefused)) return looks;
  const newer = await newerCredentials(input.refresh, input.live);
  return newer?.ok === true ? await lookWith(input, newer.live, records) : looks;
}

function isRefused(found: FoundCreated): boolean {
  return found.kind === 'cannot-look' && found.failure?.class === 'credentials';
}

async function lookWith(
  { connector, signal, call }: ReconcileInput,
  live: LiveCredentials,
  records: readonly Sendable[],
): Promise<FoundCreated[]> {
  if (connector.findCreated === undefined) {
    return records.map(() => ({
      kind: 'cannot-look',
      reason: 'the provider offers no way to look',
      consistent: false,
    }));
  }
  return await connector.findCreated({
    auth: authOf(live),
    signal,
    objectName: call.objectName,
    traceparent: call.traceparent,
    records: records.map((record) => ({ fields: record.write.fields, since: record.firstSentAt ?? new Date(0) })),
  });
}

/** What is known of one record. `claimed` grows with each adoption, so that two records never adopt one. */
interface Knowledge {
  readonly found: FoundCreated | undefined;
  readonly doubt: Doubt;
  readonly claimed: Set<string>;
}

function resolve(input: ReconcileInput, record: Sendable, { found, doubt, claimed }: Knowledge): RecordSettlement {
  const { index } = record;
  const stillInDoubt: RecordSettlement = { index, kind: 'again', sendState: 'maybe', ...lastErrorOf(record) };
  if (found === undefined) return { index, kind: 'again', sendState: 'none', ...lastErrorOf(record) };
  const match = found.kind === 'found' ? found.matches.find(({ recordId }) => !claimed.has(recordId)) : undefined;
  if (match !== undefined) {
    // An equal create that may still be answered may be the one that made this record.
    if (doubt.hasOpenTwin) return stillInDoubt;
    claimed.add(match.recordId);
    return { index, kind: 'succeeded', providerId: match.recordId, isAdopted: true };
  }
  if (doubt.hasOpenTwin || doubt.sinceSentMs < windowMs(input, record)) return stillInDoubt;
  if (found.kind === 'cannot-look' && found.failure !== undefined && mayLookAgain(input, found.failure, record)) {
    return stillInDoubt;
  }
  // The last attempt was refused for a record that an earlier attempt might have made, and did not.
  const { error } = lastErrorOf(record);
  if (error?.class === 'conflict') return { index, kind: 'failed', error };
  if (found.kind === 'cannot-look' || !found.consistent) return outcomeUnknown(record, 'to avoid a duplicate');
  if (input.call.mode === 'synchronous') return notWritten(record);
  if (record.leftMs <= 0) return notWritten(record);
  return { index, kind: 'again', sendState: 'none', ...lastErrorOf(record) };
}

/** How long after its deadline a record is looked for while the looks fail. Ours: an operation must end. */
const lookOnMs = 60 * 60_000;

function mayLookAgain({ timeScale }: ReconcileInput, failure: ProviderFailure, record: Sendable): boolean {
  return retryOf(failure.class) !== 'never' && record.leftMs > -lookOnMs / timeScale;
}

/** Before this long after the last send, a record that is not seen may still appear. */
function windowMs({ connector, call, senderMs, timeScale }: ReconcileInput, record: Sendable): number {
  const visibilityMs = connector.visibilityMs(call.objectName, record.write.fields) / timeScale;
  // Bytes may have left until the lease's end, and only then the provider's own time begins.
  const committedMs = Math.max(senderMs, leaseMs + connector.capabilities.lateCommitMs / timeScale);
  return committedMs + visibilityMs + 250;
}

/** Looks come at growing distances, and one just after the window's end. Equal creates must not look in step for ever. */
function nextLookMs(input: ReconcileInput, records: readonly Sendable[], doubt: Doubt): number {
  const ends = records.map((record) => windowMs(input, record) - doubt.sinceSentMs);
  const untilEndMs = Math.max(...ends, 0);
  const spacedMs = Math.min(10_000, Math.max(1_000, doubt.sinceSentMs / 2));
  const jitterMs = (input.random ?? Math.random)() * jitterMaxMs;
  return (untilEndMs > 0 ? Math.min(spacedMs, untilEndMs + 50) : spacedMs) + jitterMs;
}

function settle(input: ReconcileInput, records: readonly RecordSettlement[], lookAgainMs: number): Settlement {
  const { call } = input;
  const again = records.flatMap((record) => (record.kind === 'again' ? [record] : []));
  const isInDoubt = call.type === 'create' && again.some((record) => record.sendState === 'maybe');
  const waiting = { state: isInDoubt ? 'in_doubt' : 'ready', delayMs: isInDoubt ? lookAgainMs : 0 } as const;
  return {
    ...call,
    isCreate: call.type === 'create',
    records,
    next: again.length === 0 ? { state: 'done' } : waiting,
    orderKeys: orderKeysOf(input.records, records),
    ...(call.type === 'create' ? {} : { barrierMs: input.connector.capabilities.lateCommitMs }),
  };
}

/** The error of the last attempt, which a settlement must repeat to keep. */
function lastErrorOf({ lastError }: Sendable): { error?: RecordError } {
  return lastError === undefined ? {} : { error: lastError as RecordError };
}

function outcomeUnknown({ index, lastError }: Sendable, why: string): RecordSettlement {
  const said = lastError === undefined ? '' : ` Last error: ${lastError.text}`;
  const text = `the provider may have written the record. It was not sent again, ${why}.${said}`;
  return toUnknown(index, { class: 'unknown', text });
}

function notWritten({ index }: Sendable): RecordSettlement {
  const text = 'The provider did not write the record before it was too late to send it again.';
  return { index, kind: 'failed', error: { class: 'deadline', text } };
}
