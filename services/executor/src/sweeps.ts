import { callId, type LaneKey, type OverdueCall, type RecordSettlement, type Settlement } from '@sluice/store';
import { leaseMs } from '@sluice/writes';
import type { ExecutorContext } from './context';
import type { ClaimLoop } from './claim-loop';
import { endCancelled } from './end-cancelled';
import type { LaneQueue } from './lane-queue';

/** How often each sweep looks. Source: design, sections 5.8 and 5.9; the lapse adds at most this to a lease of 6 s. */
const lapseEveryMs = 1_000;
const readyEveryMs = 2_000;
const overdueEveryMs = 5_000;
const isolatedEveryMs = 3_000;
const retentionEveryMs = 5_000;
/** One statement stays short, and one look does not hold the others up: a backlog is purged over many looks. */
const recordsPerPurge = 1_000;
const purgesPerLook = 20;
/** With the batcher's half second for an open batch, a cancel is carried out within a second. */
const cancelledEveryMs = 250;

/**
 * What finds work that no message announced. The lapse of leases and the calls it isolates are always looked for: without them a
 * killed process would keep its calls. So are cancels, because nothing announces them.
 * Returns a function that ends the sweeps, after the looks in hand.
 */
export function startSweeps(context: ExecutorContext, loop: ClaimLoop): () => Promise<void> {
  const { store, config } = context;
  const { lanes } = loop;
  const wakeAll = (found: Parameters<LaneQueue['wake']>[0][], source: Parameters<LaneQueue['wake']>[1]): void => {
    for (const lane of found) lanes.wake(lane, source);
  };
  const ends = [
    every(context, lapseEveryMs, async () => {
      const lapsed = await store.writes.lapse();
      if (lapsed.length > 0) context.logger.warn({ calls: lapsed.length }, 'leases.lapsed');
      wakeAll(lapsed, 'lapse');
    }),
    every(context, isolatedEveryMs, async () => {
      const lane = await store.writes.findIsolated();
      if (lane !== undefined) loop.isolate(lane);
    }),
    every(context, cancelledEveryMs, async () => wakeAll(await endCancelled(context), 'sweep')),
  ];
  if (config.sweeps) {
    ends.push(
      every(context, readyEveryMs, async () => wakeAll(await store.writes.findReadyLanes(), 'sweep')),
      every(context, overdueEveryMs, async () => {
        wakeAll(await endOverdue(context), 'sweep');
        wakeAll(await store.writes.repairOrder(), 'sweep');
      }),
      every(context, retentionEveryMs, () => purgeOld(context)),
    );
  }
  return async () => {
    await Promise.all(ends.map((end) => end()));
  };
}

function every(context: ExecutorContext, everyMs: number, look: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= look()
      .catch((error: unknown) => context.logger.warn({ error }, 'sweep.failed'))
      .finally(() => (running = undefined));
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** Forgets what records held that ended before the retention time. */
async function purgeOld({ store, config }: ExecutorContext): Promise<void> {
  for (let n = 0; n < purgesPerLook; n += 1) {
    const purged = await store.writes.purgePlans(config.retentionDays, recordsPerPurge);
    if (purged < recordsPerPurge) return;
  }
}

/** Fails records whose deadline passed while their lane was blocked or their connection held back. */
async function endOverdue(context: ExecutorContext): Promise<LaneKey[]> {
  const calls = await context.store.writes.claimOverdue(context.owner, leaseMs);
  if (calls.length === 0) return [];
  const settled = await context.store.writes.settle(calls.map(toSettlement));
  const ended = calls.filter((call) => settled.get(callId(call))?.ended !== undefined).length;
  context.logger.info({ calls: calls.length, ended }, 'calls.overdue');
  return [...settled.values()].flatMap(({ released }) => released);
}

function toSettlement(call: OverdueCall): Settlement {
  return {
    ...call,
    isCreate: call.type === 'create',
    records: call.records.map(({ index, isSent }) => endOf(index, isSent, call.reason)),
    next: nextOf(call),
    orderKeys: call.records.flatMap(({ orderKey }) => orderKey ?? []),
  };
}

function endOf(index: number, isSent: boolean, reason: string): RecordSettlement {
  const text = `The retry deadline has passed. Last: ${reason}`;
  if (!isSent) return { index, kind: 'failed', error: { class: 'deadline', text } };
  return { index, kind: 'unknown', error: { class: 'deadline', text: `Outcome unknown: ${text}` } };
}

function nextOf({ restInMs, wasInDoubt }: OverdueCall): Settlement['next'] {
  if (restInMs === undefined) return { state: 'done' };
  return { state: wasInDoubt ? 'in_doubt' : 'ready', delayMs: restInMs };
}
