import type { PerformedCall } from '@sluice/writes';
import type { ExecutorContext } from './context';
import type { Run } from './run';

/** A lane whose calls take longer has one at a time: its account would hold sockets that others could use. */
const slowCallMs = 5_000;

/**
 * Makes a call and watches how long the account takes for it. After 5 s the lane is narrowed, while the call continues: the cap is in the
 * lane's row, because what one process sees must hold for all of them. A call in time that the account did not refuse widens a
 * narrowed lane, twofold: it stands at one after a block too, so that a block ends with one probe and a slow start. A call that ends in
 * our own fault says nothing about the account.
 */
export async function watchPace(
  { store, config, logger }: ExecutorContext,
  { call }: Run,
  perform: () => Promise<PerformedCall>,
): Promise<PerformedCall> {
  let isSlow = false;
  const quietly = (change: Promise<void>): Promise<void> =>
    change.catch((error: unknown) => logger.warn({ error, laneId: call.laneId }, 'lane.pace-not-noted'));
  const timer = setTimeout(() => {
    isSlow = true;
    logger.info({ laneId: call.laneId }, 'lane.slow');
    void quietly(store.writes.narrowLane(call));
  }, slowCallMs);
  const performed = await perform().finally(() => clearTimeout(timer));
  const isRefused = performed.results.some((result) => !result.ok && result.error.scope === 'lane');
  if (call.isNarrowed && !isSlow && !isRefused && performed.calls > 0) {
    await quietly(store.writes.widenLane(call, config.laneConcurrency));
  }
  return performed;
}
