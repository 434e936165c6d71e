import type { CancelledCursor, LaneKey, WaitingCall, WriteStore, Step } from '@sluice/store';
import { repeat } from '@sluice/telemetry';
import type { ExecutorContext } from './context';
import type { ClaimLoop } from './claim-loop';
import { endCancelled, endOverdue } from './end-calls';
import type { LaneQueue } from './lane-queue';

/** How often each sweep runs; the lapse adds at most this to a lease of 6 s. */
const lapseEveryMs = 1_000;
/** The sweep of ready lanes runs every 2 s, and at once again while it has found work and the process has none left. */
const readyEveryMs = 250;
const overdueEveryMs = 5_000;
/** Short, because each call that ran beside a call that crashed twice is isolated as well, one by one. */
const isolatedEveryMs = 250;
const retentionEveryMs = 5_000;
/** One statement stays short, and one pass does not hold up the others: a backlog is purged over many passes. */
const recordsPerPurge = 1_000;
const purgesPerPass = 20;
const operationsEveryMs = 60_000;
/** As `recordsPerPurge`: operations have at most 100 records. Passes enough for 1,600 operations a second. */
const operationsPerDeletion = 100;
const deletionsPerPass = 1_000;
/** Calls that lapse in one statement: four processes that die together at full concurrency. */
const lapsedPerPass = 1_024;
/** Steps of one pass over overdue records (200 each) and of the order's repair (500 waiting calls each). */
const stepsPerPass = 5;
const waitingPerStep = 500;
/** With the batcher's half second for an open batch, a cancel is carried out within a second. */
const cancelledEveryMs = 250;

/**
 * What finds work that no message announced. The lapse of leases and the calls it isolates are always looked for: without them a
 * killed process would keep its calls. So are cancels, because nothing announces them.
 * Returns a function that ends the sweeps, after the passes in progress.
 */
export function startSweeps(context: ExecutorContext, loop: ClaimLoop): () => Promise<void> {
  const { store, config, metrics } = context;
  const findings = metrics.counter('sluice_sweep_findings_total');
  const { lanes } = loop;
  const wakeAll = (found: readonly LaneKey[], sweep: 'lapse' | 'cancelled' | 'overdue' | 'order'): void => {
    findings.inc({ sweep }, found.length);
    for (const lane of found) lanes.wake(lane, sweep === 'lapse' ? 'lapse' : 'sweep');
  };
  const cancelled = createSweep((after: CancelledCursor | undefined) => endCancelled(context, after), stepsPerPass);
  const ends = [
    every(context, lapseEveryMs, async () => {
      const lapsed = await store.writes.lapse(lapsedPerPass);
      if (lapsed.length > 0) context.logger.warn({ calls: lapsed.length }, 'leases.lapsed');
      wakeAll(lapsed, 'lapse');
    }),
    every(context, isolatedEveryMs, async () => {
      const lane = await store.writes.findIsolated();
      // While its lane sleeps nothing of it is sent: everything else would end for nothing.
      if (lane === undefined || lanes.isAsleep(lane)) return;
      findings.inc({ sweep: 'isolated' });
      loop.isolate(lane);
    }),
    every(context, cancelledEveryMs, async () => wakeAll((await cancelled()).found, 'cancelled')),
  ];
  if (config.sweeps) {
    const overdue = createSweep((after: string | undefined) => endOverdue(context, after), stepsPerPass);
    const repair = (after: WaitingCall | undefined) =>
      store.writes.repairOrder({ limit: waitingPerStep, ...(after && { after }) });
    const repaired = createSweep(repair, stepsPerPass);
    ends.push(
      every(
        context,
        readyEveryMs,
        readySweep(store.writes, lanes, (found) => findings.inc({ sweep: 'ready' }, found)),
      ),
      every(context, overdueEveryMs, async () => {
        wakeAll((await overdue()).found, 'overdue');
        wakeAll((await repaired()).found, 'order');
      }),
      every(context, operationsEveryMs, () =>
        deleteOld(context, (deleted) => findings.inc({ sweep: 'operations' }, deleted)),
      ),
      every(context, retentionEveryMs, () =>
        purgeOld(context, (purged) => findings.inc({ sweep: 'retention' }, purged)),
      ),
    );
  }
  return async () => {
    await Promise.all(ends.map((end) => end()));
  };
}

function every({ logger }: ExecutorContext, everyMs: number, pass: () => Promise<void>): () => Promise<void> {
  return repeat(pass, { everyMs, onFailure: (error) => logger.warn({ error }, 'sweep.failed') });
}

/** Deletes operations whose own retention time is over. */
async function deleteOld({ store, config }: ExecutorContext, onDeleted: (operations: number) => void): Promise<void> {
  if (config.operationRetentionDays === 0) return;
  for (let n = 0; n < deletionsPerPass; n += 1) {
    const deleted = await store.operations.deleteEnded(config.operationRetentionDays, operationsPerDeletion);
    onDeleted(deleted);
    if (deleted < operationsPerDeletion) return;
  }
}

/** Forgets what records held that ended before the retention time. */
async function purgeOld({ store, config }: ExecutorContext, onPurged: (plans: number) => void): Promise<void> {
  for (let n = 0; n < purgesPerPass; n += 1) {
    const purged = await store.writes.purgePlans(config.retentionDays, recordsPerPurge);
    onPurged(purged);
    if (purged < recordsPerPurge) return;
  }
}

/** Every 2 s, less half a call's distance. */
const sweepEveryMs = 1_875;
/** Lanes of one statement, a few milliseconds, and statements of one pass. */
const lanesPerStep = 1_000;
const readyStepsPerPass = 3;
/** With fewer lanes than this awake, a process has nothing left to do soon. */
const fewLanes = 64;

/**
 * Finds lanes with work that no message announced, sweeping all lanes in which something waits. A pass costs the same whatever
 * waits: up to 3,000 lanes every 2 s. So a ready call is found within 2 s while at most 3,000 lanes wait, and with more of them
 * within 2 s for each 3,000. While the passes find work and the process runs out of it, they follow each other at once.
 * @param onFound gets how many lanes a pass found
 * @returns a pass, to be called four times a second
 */
export function readySweep(
  writes: Pick<WriteStore, 'findReadyLanes'>,
  lanes: LaneQueue,
  onFound: (lanes: number) => void,
): () => Promise<void> {
  const sweep = createSweep(
    (after: LaneKey | undefined) => writes.findReadyLanes({ limit: lanesPerStep, ...(after && { after }) }),
    readyStepsPerPass,
  );
  let lastPassAtMs = -Infinity;
  let hasMore = false;
  return async () => {
    const needsWork = hasMore && lanes.size() < fewLanes;
    if (!needsWork && performance.now() - lastPassAtMs < sweepEveryMs) return;
    lastPassAtMs = performance.now();
    const { found, isCut } = await sweep();
    hasMore = isCut && found.length > 0;
    onFound(found.length);
    for (const lane of found) lanes.wake(lane, 'sweep');
  };
}

/** What one pass found. `isCut`: its steps are used up and the sweep is not complete. */
export interface SweepPass<Found> {
  readonly found: readonly Found[];
  readonly isCut: boolean;
}

/**
 * Sweeps everything in steps of bounded cost, however much there is: each pass continues where the last one ended, and makes at
 * most `stepsMax` steps. The cursor is in memory only; a new process starts from the beginning.
 */
export function createSweep<Found, Cursor>(
  step: (after: Cursor | undefined) => Promise<Step<Found, Cursor>>,
  stepsMax: number,
): () => Promise<SweepPass<Found>> {
  let cursor: Cursor | undefined;
  return async () => {
    const found: Found[] = [];
    for (let n = 0; n < stepsMax; n += 1) {
      const { found: more, next } = await step(cursor);
      found.push(...more);
      cursor = next;
      if (next === undefined) return { found, isCut: false };
    }
    return { found, isCut: true };
  };
}
