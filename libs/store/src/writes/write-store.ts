import type { Knex } from 'knex';
import { shareReads } from '../coalesce';
import { findServices } from '../database';
import { runEach } from '../database-errors';
import { nowhere, type StoreFailpoints } from '../failpoints';
import { guard } from '../guard';
import { acceptPersistently, type AcceptableWrite } from './accept-writes';
import { claimReady } from './claim-calls';
import { claimCancelled, type CancelledRequest } from './claim-cancelled';
import { closeRestoredBatches, type BatchKey } from './close-batch';
import { countBacklog, type BacklogOf } from './count-backlog';
import { markRestoredCreatesInDoubt, type FingerprintOf } from './doubt-restored';
import { findReadyLanes, type Page } from './find-ready-lanes';
import { dropKey, findKey, readEnded, sweepKeys, type KeyName } from './idempotency-key';
import { joinPersistently } from './join-batch';
import type { BatchableWrite } from './join-statement';
import { blockLane, narrowLane, readLaneBlocks, widenLane, type LaneKey } from './lanes';
import { lapse, release, renew, type HeldCall } from './leases';
import { loadPending, readPendingSizes, type PendingRecord } from './load-records';
import { insertSynchronous, insertTogether, type SynchronousWrite } from './open-synchronous';
import { claimOverdue, type OverdueRequest } from './overdue';
import { findClaimedIds, findRivals, measureRivals, readDoubt } from './doubt';
import { insertIntents, type Intent } from './record-intents';
import { repairOrder, type WaitingCall } from './order-queue';
import { replayRecords, type Replay } from './replay-records';
import { countQuarantined, sampleLanes } from './sample-lanes';
import { sealBatch, type PlanCalls } from './seal-batch';
import { settle } from './settle';
import type { Settlement } from './settlement';
import { findDueBatches, findIsolated, purgePlans, sweepFlushes } from './sweeps';
import type { ClaimedCall, ClaimRequest } from './take-calls';
import type { CallKey } from './write-rows';

/**
 * The path of a write in Postgres: every promise to a caller is kept here. Each method is one transaction; all moments are the
 * database's. Throws `DependencyError` when the database does not answer.
 */
export type WriteStore = ReturnType<typeof createWriteStore>;

/** @param timeScale divides the minutes and hours of the specification where they become moments. 1 in production. */
export function createWriteStore(database: Knex, timeScale: number, failpoints: StoreFailpoints = nowhere) {
  return {
    ...repeatingStore(database, timeScale, failpoints),
    ...runEach(guard, {
      ...acceptingStore(database, timeScale),
      ...executingStore(database),
      ...sweepingStore(database, timeScale),
    }),
  };
}

/** What repeats its own statements and translates its own errors, because writes or reads of several callers share them. */
function repeatingStore(database: Knex, timeScale: number, failpoints: StoreFailpoints) {
  return {
    /** Accepts asynchronous writes. A COMMIT of unknown outcome is looked up and repeated for up to 5 s; a failed lookup is the answer for writes that were not stored. */
    accept: (writes: readonly AcceptableWrite[]) => acceptPersistently(database, writes, timeScale),
    /** Joins records to the open auto-batches of their keys. Repeats like `accept`; a failure midway is the answer for records that had none by then. */
    join: (writes: readonly BatchableWrite[]) => joinPersistently(database, writes, { timeScale, failpoints }),
    /**
     * Settles together; if that fails on one row, each alone. A call that cannot be settled is absent from the answer; one that failed
     * while others were settled has the error there, and may be offered again.
     */
    settle: (settlements: readonly Settlement[]) => settle(database, settlements, timeScale, failpoints),
    /** Milliseconds a lane stays blocked; 0 when it is not. Of one moment in one statement. */
    readLaneBlock: shareReads((lanes: readonly LaneKey[]) => guard(() => readLaneBlocks(database, lanes))),
  };
}

/** What the gateway and the batcher do before a write is executed, and with idempotency keys. */
function acceptingStore(database: Knex, timeScale: number) {
  return {
    openSynchronous: (write: SynchronousWrite) => insertSynchronous(database, write, timeScale),
    /** Synchronous creates in one statement, none with a record id. Answers in their order. */
    openTogether: (writes: readonly SynchronousWrite[]) => insertTogether(database, writes, timeScale),
    /** An idempotency key that was used within 72 hours. */
    findKey: (name: KeyName) => findKey(database, name, timeScale),
    /** The records of an operation that has ended, in request order; undefined while it has not. */
    readEnded: (projectId: string, operationId: string) => readEnded(database, projectId, operationId),
    /** Frees a key, if it still names this operation. */
    dropKey: (name: KeyName, operationId: string) => dropKey(database, name, operationId),
    /** What waits of each project, counted up to `max`: calls, and records of open batches. */
    countBacklog: (projects: readonly BacklogOf[], max: number) => countBacklog(database, projects, max),
    seal: (key: BatchKey, planCalls: PlanCalls) => sealBatch(database, key, planCalls),
    /** Opens an operation of an ended one's failed records, each once; a repetition answers the same operation. */
    replay: (replay: Replay) => replayRecords(database, replay),
  };
}

/** What an executor does with the calls it claims. */
function executingStore(database: Knex) {
  return {
    claim: (request: ClaimRequest) => claimReady(database, request),
    loadPending: async (call: CallKey) => (await loadPending(database, [call]))[0] ?? [],
    /** The same of many calls, in one statement and in their order. */
    loadManyPending: (calls: readonly CallKey[]): Promise<readonly (readonly PendingRecord[])[]> =>
      loadPending(database, calls),
    /** The unfinished records of a call that is too large to be loaded, without their plans. */
    readPendingSizes: (call: CallKey) => readPendingSizes(database, call),
    recordIntents: (intents: readonly Intent[]) => insertIntents(database, intents),
    renewLeases: (calls: readonly HeldCall[], leaseMs: number) => renew(database, calls, leaseMs),
    release: (calls: readonly (HeldCall & { delayMs: number; isInDoubt: boolean })[]) => release(database, calls),
    /** At most `limit` calls. */
    lapse: (limit: number) => lapse(database, limit),
    /** @param windowMs how long a twin's send may still be answered */
    readDoubt: (call: ClaimedCall, windowMs: number) => readDoubt(database, call, windowMs),
    findClaimedIds: (call: ClaimedCall, providerIds: readonly string[]) => findClaimedIds(database, call, providerIds),
    /** Plans of creates of other calls to its account and object that were sent and are not settled, up to `limits.planBytesMax` together. */
    findRivals: (call: ClaimedCall) => findRivals(database, call),
    /** Their bytes, for reserving memory before they are read. */
    measureRivals: (call: ClaimedCall) => measureRivals(database, call),
    blockLane: (lane: LaneKey, blockMs: number, error: string) => blockLane(database, lane, blockMs, error),
    /** One call of the lane at a time, from now on. */
    narrowLane: (lane: LaneKey) => narrowLane(database, lane),
    /** Twice as many calls of a narrowed lane at once, until `perLane` is reached. */
    widenLane: (lane: LaneKey, perLane: number) => widenLane(database, lane, perLane),
  };
}

/** What is found and repaired from time to time, and what a restored database needs. */
function sweepingStore(database: Knex, timeScale: number) {
  return {
    /** Deletes the plans of records that ended this many days ago; returns how many. */
    purgePlans: (days: number, limit: number) => purgePlans(database, days, limit),
    /** Deletes keys older than 72 hours; returns how many. */
    sweepKeys: (limit: number) => sweepKeys(database, limit, timeScale),
    /** Deletes the answers of joining statements once no repetition can ask for them; returns how many. */
    sweepFlushes: (limit: number) => sweepFlushes(database, limit),
    /** A lane with a call that crashed an executor twice and may run now. */
    findIsolated: () => findIsolated(database),
    claimOverdue: (request: OverdueRequest) => claimOverdue(database, request),
    /** Calls of cancelled operations that wait, up to 200, under a lease to end them. */
    claimCancelled: (request: CancelledRequest) => claimCancelled(database, request),
    /** One step of the sweep over all lanes in which something waits. */
    findReadyLanes: (page: Page<LaneKey>) => findReadyLanes(database, page),
    /** Lanes in which calls wait, for monitoring the backlog; among the next of a page. */
    sampleLanes: (page: Page<LaneKey>) => sampleLanes(database, page),
    /** Calls quarantined within the last hour, up to a thousand. */
    countQuarantined: () => countQuarantined(database),
    findDueBatches: (limit: number) => findDueBatches(database, limit),
    /** One step of the sweep over all waiting calls; finds lanes of those that may go. */
    repairOrder: (page: Page<WaitingCall>) => repairOrder(database, page),
    /** Names of services that are connected to the database now: those of `markRestoredCreatesInDoubt` must not be. */
    findServices: () => findServices(database),
    /** Of a restored database: closes the open auto-batches of creates, so that they can be sealed. @returns how many */
    closeRestoredBatches: () => closeRestoredBatches(database),
    /** Of a restored database: puts a page of the calls of unsettled creates in doubt, so that they are looked up before they are sent. */
    markRestoredCreatesInDoubt: (page: Page<CallKey>, fingerprintOf: FingerprintOf) =>
      markRestoredCreatesInDoubt(database, page, fingerprintOf),
  };
}
