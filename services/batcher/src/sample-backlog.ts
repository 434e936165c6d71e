import type { LaneKey, SampledLane } from '@sluice/store';
import { repeat } from '@sluice/telemetry';
import type { BatcherContext } from './context';

/** How often the backlog is sampled: a scraper reads every 15 s, and an alert should not wait longer for us than for it. */
const everyMs = 5_000;
/** Looking takes at most a twentieth of one database connection's time, as the count of admission does. */
const restPerSample = 20;
/** Lanes of one statement, a few milliseconds, and statements of one sample: 100,000 lanes are covered in less than two minutes. */
const lanesPerStep = 1_000;
const stepsPerSample = 5;

/** The first count of a minute is stored; twice a minute, so that none is without one. */
const storedEveryMs = 30_000;

/** Stores how long the queues of each project are, for the console. Returns a function that ends it. */
export function storeBacklog({ store, logger }: BatcherContext): () => Promise<void> {
  const onFailure = (error: unknown) => logger.warn({ error }, 'backlog.not-stored');
  return repeat(() => store.minutes.saveBacklog(), { everyMs: storedEveryMs, onFailure });
}

interface BacklogTotals {
  /** Milliseconds; 0 when nothing of such lanes may be claimed. */
  readonly oldestMs: Record<'idle' | 'working', number>;
  readonly lanes: Record<'ready' | 'blocked' | 'held', number>;
}

/**
 * Shows how old the oldest call is that could be claimed. The batcher does so because it neither claims nor performs calls: when the
 * executors stand still, another service reports it. Every replica samples for itself; a rule takes the largest. Returns a function that ends it.
 */
export function sampleBacklog({ store, metrics, logger }: BatcherContext): () => Promise<void> {
  const show = gauges(metrics);
  let cursor: LaneKey | undefined;
  let totals = emptyTotals();

  const sample = async (): Promise<void> => {
    for (let n = 0; n < stepsPerSample; n += 1) {
      const step = await store.writes.sampleLanes({ limit: lanesPerStep, ...(cursor && { after: cursor }) });
      for (const lane of step.found) addTo(totals, lane);
      cursor = step.next;
      if (cursor !== undefined) continue;
      show(totals, await store.writes.countQuarantined());
      totals = emptyTotals();
      return;
    }
  };
  const onFailure = (error: unknown) => logger.warn({ error }, 'backlog.not-sampled');
  return repeat(sample, { everyMs, restTimes: restPerSample, isFirstNow: true, onFailure });
}

/** A pass is shown when it is complete: half of one would be a number without meaning. */
function gauges(metrics: BatcherContext['metrics']): (totals: BacklogTotals, quarantined: number) => void {
  const oldest = metrics.gauge('sluice_oldest_ready_seconds');
  const lanes = metrics.gauge('sluice_waiting_lanes');
  const inQuarantine = metrics.gauge('sluice_quarantined_calls');
  const sampledAt = metrics.gauge('sluice_backlog_sampled_timestamp_seconds');
  return (totals, quarantined) => {
    for (const lane of ['idle', 'working'] as const) oldest.set({ lane }, totals.oldestMs[lane] / 1_000);
    for (const state of ['ready', 'blocked', 'held'] as const) lanes.set({ state }, totals.lanes[state]);
    inQuarantine.set(quarantined);
    sampledAt.set(Date.now() / 1_000);
  };
}

function emptyTotals(): BacklogTotals {
  return { oldestMs: { idle: 0, working: 0 }, lanes: { ready: 0, blocked: 0, held: 0 } };
}

function addTo({ oldestMs, lanes }: BacklogTotals, { isBlocked, isWorking, oldestMs: ageMs }: SampledLane): void {
  lanes[isBlocked ? 'blocked' : ageMs === undefined ? 'held' : 'ready'] += 1;
  if (ageMs === undefined) return;
  const kind = isWorking ? 'working' : 'idle';
  oldestMs[kind] = Math.max(oldestMs[kind], ageMs);
}
