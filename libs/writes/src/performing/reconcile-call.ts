import type { Auth, Connector, FoundCreated } from '@sluice/connectors';
import type { ClaimedCall, Doubt, RecordSettlement, Settlement, WriteStore } from '@sluice/store';
import { orderKeysOf } from './decide-settlement';
import type { Sendable } from './sendable';

export interface ReconcileInput {
  readonly call: ClaimedCall;
  readonly records: readonly Sendable[];
  readonly connector: Connector;
  readonly auth: Auth;
  readonly signal: AbortSignal;
  /** Longest time a sender may still have been sending: its lease and the call's timeout, in milliseconds. */
  readonly senderMs: number;
  /** Divides the provider's windows; 1 in production. */
  readonly timeScale: number;
}

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
  const doubt = await store.readDoubt(call);
  if (call.type !== 'create')
    return settle(
      input,
      records.map((record) => repeatUpdate(call, record, doubt)),
      0,
    );
  const open = records.filter((record) => record.sendState !== 'none' && evidenceOf(record, doubt) === undefined);
  const found = new Map<number, FoundCreated>();
  const looks = open.length === 0 ? [] : await look(input, open);
  for (const [at, record] of open.entries()) found.set(record.index, looks[at] as FoundCreated);
  const ids = [...found.values()].flatMap((each) =>
    each.kind === 'found' ? each.matches.map((match) => match.recordId) : [],
  );
  const claimed = ids.length === 0 ? new Set<string>() : await store.findClaimedIds(call, ids);
  const settlements = records.map((record) => {
    return evidenceOf(record, doubt) ?? resolve(input, record, { found: found.get(record.index), doubt, claimed });
  });
  return settle(input, settlements, nextLookMs(input, records, doubt));
}

function repeatUpdate(call: ClaimedCall, record: Sendable, doubt: Doubt): RecordSettlement {
  const evidence = evidenceOf(record, doubt);
  if (evidence !== undefined) return evidence;
  // Absolute values may be written twice; but a synchronous caller has gone, and was promised no repetition.
  if (call.mode === 'synchronous') return outcomeUnknown(record);
  return { index: record.index, kind: 'again', sendState: 'maybe' };
}

function evidenceOf(record: Sendable, doubt: Doubt): RecordSettlement | undefined {
  return doubt.evidence.find((each) => each.index === record.index && each.kind !== 'again');
}

async function look(input: ReconcileInput, records: readonly Sendable[]): Promise<FoundCreated[]> {
  const { connector, auth, signal, call } = input;
  if (connector.findCreated === undefined) {
    return records.map(() => ({
      kind: 'cannot-look',
      reason: 'the provider offers no way to look',
      consistent: false,
    }));
  }
  return await connector.findCreated({
    auth,
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
  const stillInDoubt: RecordSettlement = { index, kind: 'again', sendState: 'maybe' };
  if (found === undefined) return { index, kind: 'again', sendState: 'none' };
  const match = found.kind === 'found' ? found.matches.find(({ recordId }) => !claimed.has(recordId)) : undefined;
  if (match !== undefined) {
    // An equal create that is being sent right now may be the one that made this record.
    if (doubt.hasTwinRunning) return stillInDoubt;
    claimed.add(match.recordId);
    return { index, kind: 'succeeded', providerId: match.recordId };
  }
  if (doubt.hasTwinRunning || doubt.sinceSentMs < windowMs(input, record)) return stillInDoubt;
  if (found.kind === 'cannot-look' && found.failure !== undefined) return stillInDoubt;
  if (found.kind === 'cannot-look' || !found.consistent) return outcomeUnknown(record);
  if (input.call.mode === 'synchronous') return notWritten(record);
  if (record.leftMs <= 0) return notWritten(record);
  return { index, kind: 'again', sendState: 'none' };
}

/** Before this long after the last send, a record that is not seen may still appear. */
function windowMs({ connector, call, senderMs, timeScale }: ReconcileInput, record: Sendable): number {
  const visibilityMs = connector.visibilityMs(call.objectName, record.write.fields);
  const providerMs = Math.max(connector.capabilities.lateCommitMs, 0) + visibilityMs;
  return Math.max(senderMs, providerMs / timeScale) + 250;
}

/** Looks come at growing distances, and one just after the window's end. */
function nextLookMs(input: ReconcileInput, records: readonly Sendable[], doubt: Doubt): number {
  const ends = records.map((record) => windowMs(input, record) - doubt.sinceSentMs);
  const untilEndMs = Math.max(...ends, 0);
  const spacedMs = Math.min(10_000, Math.max(1_000, doubt.sinceSentMs / 2));
  return untilEndMs > 0 ? Math.min(spacedMs, untilEndMs + 50) : spacedMs;
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
    ...(call.type === 'update' && records.some((record) => record.kind === 'unknown')
      ? { barrierMs: input.connector.capabilities.lateCommitMs }
      : {}),
  };
}

function outcomeUnknown({ index }: Sendable): RecordSettlement {
  const text =
    'Outcome unknown: the provider may have written the record. It was not sent again, to avoid a duplicate.';
  return { index, kind: 'unknown', error: { class: 'unknown', text } };
}

function notWritten({ index }: Sendable): RecordSettlement {
  const text = 'The provider did not write the record before it was too late to send it again.';
  return { index, kind: 'failed', error: { class: 'deadline', text } };
}
