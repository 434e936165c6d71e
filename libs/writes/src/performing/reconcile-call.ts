import type { FoundCreated, ProviderFailure } from '@sluice/connectors';
import { retryOf } from '@sluice/errors';
import type { ClaimedCall, Doubt, RecordError, RecordSettlement, Settlement, WriteStore } from '@sluice/store';
import type { WritePlan } from '@sluice/types';
import { leaseMs } from '../leasing/lease-keeper';
import { toSettlement, toUnknown } from './decide-settlement';
import { lookUpCreated, type CreatedLookup, type LookupInput, type LookupOutcome } from './look-up-created';
import { matchCreated } from './match-created';
import type { Sendable } from './attempt';

export interface ReconcileInput extends LookupInput {
  readonly records: readonly Sendable[];
  /** Longest time a sender may still have been sending: its lease and the call's timeout, in milliseconds. */
  readonly senderMs: number;
  /** Divides the provider's windows; 1 in production. */
  readonly timeScale: number;
  /** @default Math.random */
  readonly random?: () => number;
}

/** The settlement, and the outcome of the lookup for the account: to be noted before the settlement, as with a send. */
interface Reconciled {
  readonly settlement: Settlement;
  readonly lookup: LookupOutcome;
}

type ReconcileStore = Pick<WriteStore, 'readDoubt' | 'findClaimedIds' | 'findRivals'>;

/**
 * Finds out what became of a call whose outcome is not known, without sending it again.
 * Order: 1. Evidence of replies that lost their fence. 2. Lookup at the provider. 3. Adopt what is found and unclaimed; before
 * the last window has passed nothing is "not created". 4. Send again only where lookups are consistent; else the outcome
 * stays unknown. A synchronous write is never sent again: its caller has left.
 */
export async function reconcileCall(store: ReconcileStore, input: ReconcileInput): Promise<Reconciled> {
  const { call, records } = input;
  const doubt = await store.readDoubt(call, Math.max(0, ...records.map((record) => windowOf(input, record))));
  const isOpen = (record: Sendable): boolean =>
    call.type === 'create' && record.sendState !== 'none' && evidenceOf(record, doubt) === undefined;
  const open = records.filter(isOpen);
  const rivals = open.length === 0 ? noRivals : await store.findRivals(call);
  const fields = rivals.plans.map((plan) => (JSON.parse(plan) as WritePlan).fields);
  const lookup = await lookUpCreated(input, open, { fields, isWhole: rivals.isWhole });
  const knowledge = await readKnowledge(store, { input, doubt, open, lookup });
  const settlements = records.map((record) => {
    const settlement = evidenceOf(record, doubt) ?? resolve(input, record, knowledge);
    return settlement.kind === 'again' ? endIfCallerLeft(call, settlement) : settlement;
  });
  return { settlement: settle(input, settlements, nextLookupOf(input, doubt, lookup)), lookup: lookup.outcome };
}

const noRivals = { plans: [], isWhole: true };

/** What is known of the records of a call after the lookup. */
interface Knowledge {
  readonly doubt: Doubt;
  /** By index of the record. */
  readonly found: ReadonlyMap<number, FoundCreated>;
  /** The provider's record that each may adopt, by index. */
  readonly matched: ReadonlyMap<number, string>;
  /** Provider ids that belong to a create: another one's, or one of these. */
  readonly owned: ReadonlySet<string>;
}

interface Known {
  readonly input: ReconcileInput;
  readonly doubt: Doubt;
  readonly open: readonly Sendable[];
  readonly lookup: CreatedLookup;
}

async function readKnowledge(store: ReconcileStore, { input, doubt, open, lookup }: Known): Promise<Knowledge> {
  const found = new Map(open.map(({ index }, at) => [index, lookup.found[at] as FoundCreated]));
  const ids = [...new Set([...found.values()].flatMap(idsOf))];
  const claimed = new Set([
    ...doubt.twinIds,
    ...(ids.length === 0 ? [] : await store.findClaimedIds(input.call, ids)),
    ...doubt.evidence.flatMap(({ settlement }) =>
      settlement.kind === 'succeeded' && settlement.providerId !== undefined ? [settlement.providerId] : [],
    ),
  ]);
  const latest = doubt.lastSentAt && new Date(+doubt.lastSentAt + committedMs(input));
  const matched = matchCreated({ records: open, found, claimed, latest });
  return { doubt, found, matched, owned: new Set([...claimed, ...matched.values()]) };
}

function idsOf(found: FoundCreated): readonly string[] {
  if (found.kind === 'cannot-look-up') return [];
  const matches = found.kind === 'found' ? found.matches.map(({ recordId }) => recordId) : [];
  return [...matches, ...(found.near ?? [])];
}

/** The caller of a synchronous write has gone: a record that was not written is not sent any more. */
function endIfCallerLeft({ mode }: ClaimedCall, again: Extract<RecordSettlement, { kind: 'again' }>): RecordSettlement {
  return mode === 'synchronous' && again.sendState === 'none' ? notWritten(again) : again;
}

/** Absolute values may be written twice; but a synchronous caller has gone, and a deadline stops sends. */
function repeatUpdate(call: ClaimedCall, record: Sendable): RecordSettlement {
  const { sendState } = record;
  if (sendState === 'none') return { index: record.index, kind: 'again', sendState, ...lastErrorOf(record) };
  if (call.mode === 'synchronous') return outcomeUnknown(record, 'because its caller no longer waits');
  if (record.leftMs <= 0) return outcomeUnknown(record, 'because its retry deadline has passed');
  return { index: record.index, kind: 'again', sendState: 'maybe', ...lastErrorOf(record) };
}

/**
 * Only a clear reply is evidence: "unknown" adds nothing. A success counts from whichever attempt. A refusal, and "not applied", count only from the
 * newest, because a later attempt may have written what an earlier one could not.
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

function resolve(input: ReconcileInput, record: Sendable, known: Knowledge): RecordSettlement {
  const { index } = record;
  const { doubt, matched } = known;
  if (input.call.type !== 'create') return repeatUpdate(input.call, record);
  const found = known.found.get(index);
  if (found === undefined) return { index, kind: 'again', sendState: 'none', ...lastErrorOf(record) };
  const stillInDoubt: RecordSettlement = { index, kind: 'again', sendState: 'maybe', ...lastErrorOf(record) };
  // An equal create that may still get its reply may have created what was found.
  if (doubt.openTwins.includes(index)) return stillInDoubt;
  const providerId = matched.get(index);
  if (providerId !== undefined) return { index, kind: 'succeeded', providerId, isAdopted: true };
  if (doubt.sinceSentMs < windowOf(input, record)) return stillInDoubt;
  if (found.kind === 'cannot-look-up' && found.failure !== undefined && mayRepeatLookup(input, found.failure, record)) {
    return stillInDoubt;
  }
  return endNotFound(input, record, known);
}

/** After the window, of a record that was not found. */
function endNotFound(input: ReconcileInput, record: Sendable, known: Knowledge): RecordSettlement {
  const { index } = record;
  const found = known.found.get(index) as FoundCreated;
  // Also where the equal record is another create's: the similar one may be this record, changed.
  if (found.kind !== 'cannot-look-up' && found.near?.some((id) => !known.owned.has(id))) {
    return outcomeUnknown(record, 'because the provider has a record that is like it');
  }
  // The last attempt was refused for a record that an earlier attempt might have made, and did not.
  const { error } = lastErrorOf(record);
  if (error?.class === 'conflict') return { index, kind: 'failed', error };
  if (found.kind === 'cannot-look-up' || !found.consistent) return outcomeUnknown(record, 'to avoid a duplicate');
  if (isAtomic(input) && known.matched.size > 0) {
    return outcomeUnknown(record, 'because its batch was written, which is all or none');
  }
  if (record.leftMs <= 0) return notWritten(record);
  return { index, kind: 'again', sendState: 'none', ...lastErrorOf(record) };
}

function isAtomic({ call, connector }: ReconcileInput): boolean {
  return call.allOrNone && connector.capabilities.allOrNone.create;
}

/** How long after its deadline a record is looked up while lookups fail. Our choice: an operation must end. */
const lookupAfterDeadlineMs = 60 * 60_000;

function mayRepeatLookup({ timeScale }: ReconcileInput, failure: ProviderFailure, record: Sendable): boolean {
  return retryOf(failure.class) !== 'never' && record.leftMs > -lookupAfterDeadlineMs / timeScale;
}

/** Bytes may have left until the lease's end, and only then the provider's own time begins. */
function committedMs({ connector, senderMs, timeScale }: ReconcileInput): number {
  return Math.max(senderMs, leaseMs + connector.capabilities.lateCommitMs / timeScale);
}

/** Before this long after the last send, a record that is not visible may still appear. */
function windowOf(input: ReconcileInput, record: Sendable): number {
  const { connector, call, timeScale } = input;
  const visibilityMs = connector.visibilityMs(call.objectName, record.write.fields) / timeScale;
  return committedMs(input) + visibilityMs + 250;
}

function nextLookupOf(input: ReconcileInput, { sinceSentMs }: Doubt, { outcome }: CreatedLookup): number {
  const failures = outcome.results.flatMap((result) => (result.ok ? [] : [result.error]));
  return nextLookupMs({
    sinceSentMs,
    windowMs: Math.max(0, ...input.records.map((record) => windowOf(input, record))),
    hasFailed: failures.some((failure) => failure.class !== 'quota'),
    retryAfterMs: Math.max(0, ...failures.map((failure) => failure.retryAfterMs ?? 0)),
    timeScale: input.timeScale,
    random: input.random ?? Math.random,
  });
}

function settle(input: ReconcileInput, records: readonly RecordSettlement[], nextLookupInMs: number): Settlement {
  const { call } = input;
  const again = records.flatMap((record) => (record.kind === 'again' ? [record] : []));
  const isInDoubt = call.type === 'create' && again.some((record) => record.sendState === 'maybe');
  const waiting = { state: isInDoubt ? 'in_doubt' : 'ready', delayMs: isInDoubt ? nextLookupInMs : 0 } as const;
  const { lateCommitMs } = input.connector.capabilities;
  return toSettlement({ ...input, lateCommitMs }, records, again.length === 0 ? { state: 'done' } : waiting);
}

/** The error of the last attempt, which a settlement must repeat to keep. */
function lastErrorOf({ lastError }: Sendable): { error?: RecordError } {
  return lastError === undefined ? {} : { error: lastError as RecordError };
}

function outcomeUnknown({ index, lastError }: Sendable, why: string): RecordSettlement {
  const cause = lastError === undefined ? '' : ` Last error: ${lastError.text}`;
  const text = `the provider may have written the record. It was not sent again, ${why}.${cause}`;
  return toUnknown(index, { class: 'unknown', text });
}

function notWritten({ index }: { readonly index: number }): RecordSettlement {
  const text = 'The provider did not write the record before it was too late to send it again.';
  return { index, kind: 'failed', error: { class: 'deadline', text } };
}

const jitterMaxMs = 500;
const firstMs = 1_000;
/** Longest distance between lookups while the provider replies; a longer window gets ten. Our choice: each lookup costs quota. */
const spacedMaxMs = 10_000;
/** The same while lookups fail for another reason than the quota, once the window is over; divided by the time scale. */
const failingMaxMs = 60_000;

interface LookupTiming {
  readonly sinceSentMs: number;
  /** The longest window of the records, counted from the last send. */
  readonly windowMs: number;
  readonly hasFailed: boolean;
  /** The provider's lower bound, or our own quota's; 0: none. */
  readonly retryAfterMs: number;
  readonly timeScale: number;
  readonly random: () => number;
}

/**
 * Milliseconds until the next lookup. Lookups come at growing distances, and one just after the window's end, but none before the
 * provider's lower bound. The distances are jittered, or equal creates would look up at the same moments for ever.
 */
function nextLookupMs(moment: LookupTiming): number {
  const { sinceSentMs, windowMs, hasFailed, retryAfterMs, timeScale, random } = moment;
  const untilEndMs = Math.max(windowMs - sinceSentMs, 0);
  const isFailing = hasFailed && untilEndMs === 0;
  const longestMs = Math.max(spacedMaxMs, isFailing ? failingMaxMs / timeScale : windowMs / 10);
  const spacedMs = Math.min(longestMs, Math.max(firstMs, sinceSentMs / 2));
  const wantedMs = untilEndMs > 0 ? Math.min(spacedMs, untilEndMs + 50) : spacedMs;
  return Math.max(wantedMs, retryAfterMs) + random() * jitterMaxMs;
}
