import type { Knex } from 'knex';
import { shareReads } from '../coalesce';
import { bound, findServices } from '../database';
import { nowhere, type StoreFailpoints } from '../failpoints';
import { guard, guarded } from '../guard';
import { acceptPersistently, type AcceptableWrite } from './accept-writes';
import { claimReady } from './claim-calls';
import { claimCancelled } from './claim-cancelled';
import { closeRestoredBatches } from './close-batch';
import { countBacklog } from './count-backlog';
import { findClaimedIds, findRivals, measureRivals, readDoubt } from './doubt';
import { markRestoredCreatesInDoubt } from './doubt-restored';
import { findReadyLanes } from './find-ready-lanes';
import { dropKey, findKey, readEnded, sweepKeys, type KeyName } from './idempotency-key';
import { joinPersistently } from './join-batch';
import type { BatchableWrite } from './join-statement';
import { blockLane, narrowLane, readLaneBlocks, widenLane, type LaneKey } from './lanes';
import { lapse, release, renew } from './leases';
import { loadPending, readPendingSizes } from './load-records';
import { insertSynchronous, insertTogether, type SynchronousWrite } from './open-synchronous';
import { repairOrder } from './order-queue';
import { claimOverdue } from './overdue';
import { insertIntents } from './record-intents';
import { replayRecords } from './replay-records';
import { countQuarantined, sampleLanes } from './sample-lanes';
import { sealBatch } from './seal-batch';
import { settle } from './settle';
import type { Settlement } from './settlement';
import { findDueBatches, findIsolated, purgePlans, sweepFlushes } from './sweeps';
import type { CallKey } from './write-rows';

/**
 * The path of a write in Postgres: every promise to a caller is kept here. Each method is one transaction; all moments are the
 * database's. Throws `DependencyError` when the database does not answer.
 */
export type WriteStore = ReturnType<typeof createWriteStore>;

/** @param timeScale divides the minutes and hours of the specification where they become moments. 1 in production. */
export function createWriteStore(database: Knex, timeScale: number, failpoints: StoreFailpoints = nowhere) {
  return {
    // These repeat their own statements and translate their own errors, because writes or reads of several callers share them.
    accept: (writes: readonly AcceptableWrite[]) => acceptPersistently(database, writes, timeScale),
    join: (writes: readonly BatchableWrite[]) => joinPersistently(database, writes, { timeScale, failpoints }),
    settle: (settlements: readonly Settlement[]) => settle(database, settlements, timeScale, failpoints),
    /** Milliseconds a lane stays blocked; 0 when it is not. Of one moment in one statement. */
    readLaneBlock: shareReads((lanes: readonly LaneKey[]) => guard(() => readLaneBlocks(database, lanes))),
    ...guarded({
      openSynchronous: (write: SynchronousWrite) => insertSynchronous(database, write, timeScale),
      openTogether: (writes: readonly SynchronousWrite[]) => insertTogether(database, writes, timeScale),
      findKey: (name: KeyName) => findKey(database, name, timeScale),
      sweepKeys: (limit: number) => sweepKeys(database, limit, timeScale),
      loadPending: async (call: CallKey) => (await loadPending(database, [call]))[0] ?? [],
      ...bound(database, steps),
    }),
  };
}

const steps = {
  readEnded,
  dropKey,
  countBacklog,
  seal: sealBatch,
  replay: replayRecords,

  // What an executor does with the calls it claims.
  claim: claimReady,
  loadManyPending: loadPending,
  readPendingSizes,
  recordIntents: insertIntents,
  renewLeases: renew,
  release,
  lapse,
  readDoubt,
  findClaimedIds,
  findRivals,
  measureRivals,
  blockLane,
  narrowLane,
  widenLane,

  // What is found and repaired from time to time.
  purgePlans,
  sweepFlushes,
  findIsolated,
  claimOverdue,
  claimCancelled,
  findReadyLanes,
  sampleLanes,
  countQuarantined,
  findDueBatches,
  repairOrder,

  // What a restored database needs, while no service is connected to it.
  findServices,
  closeRestoredBatches,
  markRestoredCreatesInDoubt,
};
