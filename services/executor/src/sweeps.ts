import { callId, type OverdueCall, type Settlement } from '@sluice/store';
import { leaseMs } from '@sluice/writes';
import type { ExecutorContext } from './context';
import type { LaneQueue } from './lane-queue';

/** How often each sweep looks. Source: design, sections 5.8 and 5.9; the lapse adds at most this to a lease of 6 s. */
const lapseEveryMs = 1_000;
const readyEveryMs = 2_000;
const overdueEveryMs = 5_000;

/**
 * What finds work that no message announced. The lapse of leases always runs: without it a killed process would keep its calls.
 * Returns a function that ends the sweeps.
 */
export function startSweeps(context: ExecutorContext, lanes: LaneQueue): () => void {
  const { store, config } = context;
  const wakeAll = (found: Parameters<LaneQueue['wake']>[0][], source: Parameters<LaneQueue['wake']>[1]): void => {
    for (const lane of found) lanes.wake(lane, source);
  };
  const ends = [
    every(context, lapseEveryMs, async () => {
      const lapsed = await store.writes.lapse();
      if (lapsed.length > 0) context.logger.warn({ calls: lapsed.length }, 'leases.lapsed');
      wakeAll(lapsed, 'lapse');
    }),
  ];
  if (config.sweeps) {
    ends.push(
      every(context, readyEveryMs, async () => wakeAll(await store.writes.findReadyLanes(), 'sweep')),
      every(context, overdueEveryMs, async () => {
        await endOverdue(context);
        wakeAll(await store.writes.repairOrder(), 'sweep');
      }),
    );
  }
  return () => {
    for (const end of ends) end();
  };
}

function every(context: ExecutorContext, everyMs: number, look: () => Promise<void>): () => void {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= look()
      .catch((error: unknown) => context.logger.warn({ error }, 'sweep.failed'))
      .finally(() => (running = undefined));
  }, everyMs);
  return () => clearInterval(timer);
}

/** Fails records whose deadline passed while their lane was blocked or their connection held back. */
async function endOverdue(context: ExecutorContext): Promise<void> {
  const calls = await context.store.writes.claimOverdue(context.owner, leaseMs);
  if (calls.length === 0) return;
  const settled = await context.store.writes.settle(calls.map(toSettlement));
  const ended = calls.filter((call) => settled.get(callId(call))?.ended !== undefined).length;
  context.logger.info({ calls: calls.length, ended }, 'calls.overdue');
}

function toSettlement(call: OverdueCall): Settlement {
  return {
    ...call,
    isCreate: call.type === 'create',
    records: call.records.map(({ index }) => ({
      index,
      kind: 'failed',
      error: { class: 'deadline', text: `The retry deadline has passed. Last: ${call.reason}` },
    })),
    next: call.restInMs === undefined ? { state: 'done' } : { state: 'ready', delayMs: call.restInMs },
    orderKeys: call.records.flatMap(({ orderKey }) => orderKey ?? []),
  };
}
