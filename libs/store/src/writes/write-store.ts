import type { Knex } from 'knex';
import { acceptPersistently, type AcceptAnswer } from './accept-persistently';
import type { AcceptableWrite } from './accept-writes';
import { claimReady, type Claim } from './claim-calls';
import type { ClaimRequest, ClaimedCall } from './take-calls';
import type { LaneKey } from './lane-room';
import { claimCancelled, type CancelledCall, type CancelledPlace, type CancelledRequest } from './claim-cancelled';
import { findReadyLanes, type Page, type Step } from './find-ready-lanes';
import { countBacklog, type BacklogOf, type ProjectBacklog } from './count-backlog';
import { doubtCreates, endOpenBatches, findServices, type FingerprintOf } from './doubt-restored';
import { nowhere, type StoreFailpoints } from '../failpoints';
import { guard } from '../guard';
import type { BatchableWrite } from './join-statement';
import { joinPersistently, type JoinAnswer } from './join-persistently';
import type { KeptKey } from './idempotency-key';
import { dropKey, findKey, readEnded, sweepKeys, type EndedRecord, type KeyName } from './kept-keys';
import { lapse, release, renew, type HeldCall, type LapsedCall } from './leases';
import { loadPending, readPendingSizes, type PendingRecord, type PendingSize } from './load-records';
import { insertSynchronous, insertTogether, type Opening, type SynchronousWrite } from './open-synchronous';
import { blockLane, narrowLane, readLaneBlocks, widenLane } from './lane-pace';
import { claimOverdue, type OverdueCall, type OverdueRequest } from './overdue';
import { purgePlans } from './purge-plans';
import { insertIntents, type Intent } from './record-intents';
import { replayRecords, type Replay, type Replaying } from './replay-records';
import { findClaimedIds, findRivals, measureRivals, readDoubt, type Doubt, type Rivals } from './reconciliation';
import { sealBatch, type PlanCalls, type Sealing } from './seal-batch';
import type { Settlement, SettlingAnswer } from './settlement';
import { settle } from './settle';
import { repairOrder, type WaitingCall } from './repair-order';
import { countQuarantined, sampleLanes, type SampledLane } from './sample-lanes';
import { findDueBatches, findIsolated } from './sweeps';
import type { CallKey } from './write-rows';

/**
 * The path of a write in Postgres: every promise is kept here. Each method is one transaction; all moments are the
 * database's. Throws `DependencyError` when the database does not answer.
 */
export interface WriteStore {
  /** Accepts asynchronous writes. A COMMIT of unknown outcome is looked up and repeated for up to 5 s; what fails a look is the answer of those who were not stored. */
  accept(writes: readonly AcceptableWrite[]): Promise<Map<string, AcceptAnswer>>;
  /** Joins records to the open auto-batches of their keys. Repeats like `accept`; what fails it midway is the answer of those who had none by then. */
  join(writes: readonly BatchableWrite[]): Promise<Map<string, JoinAnswer>>;
  openSynchronous(write: SynchronousWrite): Promise<Opening>;
  /** Synchronous creates in one statement, none with a record id. Answers in their order. */
  openTogether(writes: readonly SynchronousWrite[]): Promise<readonly Opening[]>;
  /** An idempotency key that was seen within 72 hours. */
  findKey(name: KeyName): Promise<KeptKey | undefined>;
  /** The records of an operation that has ended, in request order; undefined while it has not. */
  readEnded(projectId: string, operationId: string): Promise<EndedRecord[] | undefined>;
  /** Frees a key, if it still names this operation. */
  dropKey(name: KeyName, operationId: string): Promise<void>;
  /** Forgets what records that ended this many days ago were to write; returns how many. */
  purgePlans(days: number, limit: number): Promise<number>;
  /** What waits of each project, counted up to `max`: calls, and records of open batches. */
  countBacklog(asked: readonly BacklogOf[], max: number): Promise<Map<string, ProjectBacklog>>;
  /** Deletes keys older than 72 hours; returns how many. */
  sweepKeys(limit: number): Promise<number>;
  seal(key: { projectId: string; operationId: string }, planCalls: PlanCalls): Promise<Sealing>;
  claim(request: ClaimRequest): Promise<Claim>;
  loadPending(call: CallKey): Promise<readonly PendingRecord[]>;
  /** The same of many calls, in one statement and in their order. */
  loadManyPending(calls: readonly CallKey[]): Promise<readonly (readonly PendingRecord[])[]>;
  /** The unfinished records of a call that is too large to be loaded, without their plans. */
  readPendingSizes(call: CallKey): Promise<readonly PendingSize[]>;
  recordIntents(intents: readonly Intent[]): Promise<Set<string>>;
  /**
   * Settles together; if that fails on one row, each alone. A call that cannot be settled is absent from the answer; one that failed
   * while others were settled has the error there, and may be offered again.
   */
  settle(settlements: readonly Settlement[]): Promise<Map<string, SettlingAnswer>>;
  renewLeases(calls: readonly HeldCall[], leaseMs: number): Promise<Set<string>>;
  release(calls: readonly (HeldCall & { delayMs: number; isInDoubt: boolean })[]): Promise<void>;
  /** At most `limit` calls. */
  lapse(limit: number): Promise<LapsedCall[]>;
  /** @param windowMs how long a twin's send may still be answered */
  readDoubt(call: ClaimedCall, windowMs: number): Promise<Doubt>;
  findClaimedIds(call: ClaimedCall, providerIds: readonly string[]): Promise<Set<string>>;
  /** Plans of creates of other calls to its account and object that were sent and are not settled, up to `limits.planBytesMax` together. */
  findRivals(call: ClaimedCall): Promise<Rivals>;
  /** Their bytes, for whoever makes room before they are read. */
  measureRivals(call: ClaimedCall): Promise<number>;
  /** A lane with a call that crashed an executor twice and may run now. */
  findIsolated(): Promise<LaneKey | undefined>;
  claimOverdue(request: OverdueRequest): Promise<Step<OverdueCall, string>>;
  /** Calls of cancelled operations that wait, up to 200, under a lease to end them. */
  claimCancelled(request: CancelledRequest): Promise<Step<CancelledCall, CancelledPlace>>;
  /** Opens an operation of an ended one's failed records, each once; a repetition answers the same operation. */
  replay(replay: Replay): Promise<Replaying>;
  /** One step of the round over all lanes in which something waits. */
  findReadyLanes(page: Page<LaneKey>): Promise<Step<LaneKey, LaneKey>>;
  /** Lanes in which calls wait, as whoever watches the backlog sees them; among the next of a page. */
  sampleLanes(page: Page<LaneKey>): Promise<Step<SampledLane, LaneKey>>;
  /** Calls quarantined within the last hour, up to a thousand. */
  countQuarantined(): Promise<number>;
  findDueBatches(limit: number): Promise<{ projectId: string; operationId: string }[]>;
  /** One step of the round over all waiting calls; finds lanes of those that may go. */
  repairOrder(page: Page<WaitingCall>): Promise<Step<LaneKey, WaitingCall>>;
  blockLane(lane: LaneKey, blockMs: number, error: string): Promise<void>;
  /** One call of the lane at a time, from now on. */
  narrowLane(lane: LaneKey): Promise<void>;
  /** Twice as many calls of a narrowed lane at once, until `perLane` is reached. */
  widenLane(lane: LaneKey, perLane: number): Promise<void>;
  /** Milliseconds a lane stays blocked; 0 when it is not. */
  readLaneBlock(lane: LaneKey): Promise<number>;
  /** The same of many, in one statement and in their order. */
  readLaneBlocks(lanes: readonly LaneKey[]): Promise<readonly number[]>;
  /** Names of services that are connected to the database now: those of `doubtCreates` must not be. */
  findServices(): Promise<string[]>;
  /** Of a restored database: makes open auto-batches of creates due. @returns how many */
  endOpenBatches(): Promise<number>;
  /** Of a restored database: puts a page of the calls of unsettled creates in doubt, so that they are looked for before they are sent. */
  doubtCreates(page: Page<CallKey>, fingerprintOf: FingerprintOf): Promise<Step<CallKey, CallKey>>;
}

/** @param timeScale divides the minutes and hours of the specification where they become moments. 1 in production. */
export function createWriteStore(database: Knex, timeScale: number, failpoints: StoreFailpoints = nowhere): WriteStore {
  return {
    accept: (writes) => acceptPersistently(database, writes, timeScale),
    join: (writes) => joinPersistently(database, writes, { timeScale, failpoints }),
    openSynchronous: (write) => guard(() => insertSynchronous(database, write, timeScale)),
    openTogether: (writes) => guard(() => insertTogether(database, writes, timeScale)),
    findKey: (name) => guard(() => findKey(database, name, timeScale)),
    readEnded: (projectId, operationId) => guard(() => readEnded(database, projectId, operationId)),
    dropKey: (name, operationId) => guard(() => dropKey(database, name, operationId)),
    purgePlans: (days, limit) => guard(() => purgePlans(database, days, limit)),
    countBacklog: (asked, max) => guard(() => countBacklog(database, asked, max)),
    sweepKeys: (limit) => guard(() => sweepKeys(database, limit, timeScale)),
    seal: (key, planCalls) => guard(() => sealBatch(database, key, planCalls, timeScale)),
    claim: (request) => guard(() => claimReady(database, request)),
    loadPending: (call) => guard(async () => (await loadPending(database, [call]))[0] ?? []),
    loadManyPending: (calls) => guard(() => loadPending(database, calls)),
    readPendingSizes: (call) => guard(() => readPendingSizes(database, call)),
    recordIntents: (intents) => guard(() => insertIntents(database, intents)),
    settle: (settlements) => settle(database, settlements, timeScale, failpoints),
    renewLeases: (calls, leaseMs) => guard(() => renew(database, calls, leaseMs)),
    release: (calls) => guard(() => release(database, calls)),
    lapse: (limit) => guard(() => lapse(database, limit)),
    readDoubt: (call, windowMs) => guard(() => readDoubt(database, call, windowMs)),
    findClaimedIds: (call, ids) => guard(() => findClaimedIds(database, call, ids)),
    findRivals: (call) => guard(() => findRivals(database, call)),
    measureRivals: (call) => guard(() => measureRivals(database, call)),
    findIsolated: () => guard(() => findIsolated(database)),
    claimOverdue: (request) => guard(() => claimOverdue(database, request)),
    claimCancelled: (request) => guard(() => claimCancelled(database, request)),
    replay: (replay) => guard(() => replayRecords(database, replay, timeScale)),
    findReadyLanes: (page) => guard(() => findReadyLanes(database, page)),
    sampleLanes: (page) => guard(() => sampleLanes(database, page)),
    countQuarantined: () => guard(() => countQuarantined(database)),
    findDueBatches: (limit) => guard(() => findDueBatches(database, limit)),
    repairOrder: (page) => guard(() => repairOrder(database, page)),
    blockLane: (lane, blockMs, error) => guard(() => blockLane(database, lane, blockMs, error)),
    narrowLane: (lane) => guard(() => narrowLane(database, lane)),
    widenLane: (lane, perLane) => guard(() => widenLane(database, lane, perLane)),
    readLaneBlock: (lane) => guard(async () => (await readLaneBlocks(database, [lane]))[0] ?? 0),
    readLaneBlocks: (lanes) => guard(() => readLaneBlocks(database, lanes)),
    findServices: () => guard(() => findServices(database)),
    endOpenBatches: () => guard(() => endOpenBatches(database)),
    doubtCreates: (page, fingerprintOf) => guard(() => doubtCreates(database, page, fingerprintOf)),
  };
}
