import { loggableReason, type ConnectorRegistry } from '@sluice/connectors';
import { DefectError, SluiceError } from '@sluice/errors';
import type { CacheAndQuotas } from '@sluice/redis';
import {
  coalesce,
  sharedStatement,
  callId,
  type ClaimedCall,
  type PendingRecord,
  type ReleasedCall,
  type Settled,
  type Settlement,
  type SettlingAnswer,
  type Store,
  type WriteStore,
} from '@sluice/store';
import { asStep, type Logger, type Metrics } from '@sluice/telemetry';
import { statusEvent } from '@sluice/types';
import { CallSizes } from '../call-sizes';
import { defaultBlockMs, LaneQuotas, logBlock } from '../lane-quotas';
import { LeaseKeeper } from '../leasing/lease-keeper';
import { createWriteMeters, type WriteMeters } from '../write-meters';
import type { CallToPerform } from './attempt';
import { failureOf, type LoggedFailure } from './decide-settlement';
import type { LookupOutcome } from './look-up-created';
import { performCall, type PerformedCall } from './perform-call';

/**
 * Steps that executor and gateway share. Order: 1. They prepare it: credentials, quota, intent. 2. `performAndLearn`. 3. `noteOutcome`.
 * 4. `settleAndReport`. The gateway sends the parts of a refused call itself; an executor leaves them to the lane.
 */
export interface CallContext {
  readonly store: Pick<Store, 'connections' | 'writes'>;
  readonly logger: Logger;
  readonly meters: WriteMeters;
  readonly leases: LeaseKeeper;
  readonly quotas: LaneQuotas;
  readonly callSizes: CallSizes;
  /** In one statement with others that end at the same time. */
  readonly settle: SharedSettle;
}

interface Clients extends Pick<CallContext, 'logger'> {
  readonly store: Store;
  readonly redis: CacheAndQuotas;
  readonly connectors: ConnectorRegistry;
  readonly metrics: Metrics;
}

/** @param timeScale how much faster than its clock the process runs, in tests */
export function createCallContext({ store, redis, connectors, logger, metrics }: Clients, timeScale: number) {
  const writers = connectors.all().filter(({ create, update }) => create !== undefined || update !== undefined);
  return {
    meters: createWriteMeters(
      metrics,
      writers.map(({ provider }) => provider),
    ),
    leases: new LeaseKeeper(store.writes, logger),
    quotas: new LaneQuotas(redis.quotas, metrics, redis.cache),
    callSizes: new CallSizes(timeScale),
    settle: sharingSettlements(store.writes),
  };
}

/** Settles a call, in one statement with others. Undefined when the store's result lacks it. */
export type SharedSettle = (settlement: Settlement) => Promise<SharedSettled | SluiceError | undefined>;

/** The result of one of several settlements that shared a transaction. */
interface SharedSettled extends Settled {
  /** What they released together: the first that kept its lease has the list, the others have none, so that each call is announced once. */
  readonly released: readonly ReleasedCall[];
}

/** A settlement that was stored. */
export interface StoredSettlement extends SharedSettled {
  /** `performance.now()` from before it was offered: the leases of the calls that it opened count from there. */
  readonly offeredAtMs: number;
}

/** A call whose intent is committed. */
interface IntendedCall extends Omit<CallToPerform, 'takeQuota'> {
  readonly call: ClaimedCall;
  readonly priority: 'synchronous' | 'asynchronous';
}

/** Makes a call, and learns the account's burst limit and how many records it takes. @throws DefectError when the connector breaks its contract */
export async function performAndLearn(
  { quotas, callSizes }: Pick<CallContext, 'quotas' | 'callSizes'>,
  { priority, ...request }: IntendedCall,
): Promise<PerformedCall> {
  const { call, connector } = request;
  const performed = await performCall({ ...request, takeQuota: () => quotas.take(call, connector, priority) });
  quotas.learn(call, performed.quota);
  callSizes.learn(call, performed);
  return performed;
}

/**
 * Stores what a call or a lookup means for its lane and its connection, and counts it. Called before the settlement, so that no process claims from
 * a lane that was just refused. A 429 blocks the lane, not each write of it. Status writes compare-and-set on the version of the token that was used.
 * A write that needed no call changes nothing. Never rejects: what is known must be settled, whether or not this could be stored.
 * Source: specification, Connection status.
 * @param failedEvent logged when it could not be stored
 * @returns milliseconds that the lane is blocked for; 0 when it is not
 */
export async function noteOutcome(
  { store, logger, meters }: Pick<CallContext, 'store' | 'logger' | 'meters'>,
  { projectId, laneId, operationId }: Pick<ClaimedCall, 'projectId' | 'laneId' | 'operationId'>,
  outcome: LookupOutcome | Pick<PerformedCall, 'results' | 'calls' | 'used' | 'attempt'>,
  failedEvent: string,
): Promise<number> {
  const { used, results, calls } = outcome;
  if (calls === 0) return 0;
  const { connectionId, tokenVersion, groupRef, provider } = used;
  const failures = results.flatMap((result) => (result.ok ? [] : [result.error]));
  const block = failures.find((failure) => failure.scope === 'lane');
  const blockedMs = block === undefined ? 0 : (block.retryAfterMs ?? defaultBlockMs);
  const refused = failures.find((failure) => failure.class === 'credentials');
  const proven = results.some((result) => result.ok) ? 'working' : used.status;
  const status = refused === undefined ? proven : 'bad_credentials';
  try {
    if (block !== undefined && (await store.writes.blockLane({ projectId, laneId }, blockedMs, block.message))) {
      logBlock(logger, { projectId, laneId, used }, block, blockedMs);
    }
    const isChanged =
      status !== used.status && (await store.connections.setStatus({ projectId, connectionId, tokenVersion, status }));
    const event = isChanged ? statusEvent(used.status, status) : undefined;
    if (event !== undefined) {
      const why = refused && { reason: loggableReason(refused), status: refused.status, count: results.length };
      logger.warn({ projectId, groupRef, provider, connectionId, ...why }, event);
    }
    meters.called({ projectId, provider }, { ...outcome, blockedMs });
    return blockedMs;
  } catch (error) {
    logger.warn({ error, operationId }, failedEvent);
    return 0;
  }
}

/** How the settlements of a write are counted and logged. */
export interface Reporting {
  /** Absent, as `groupRef`: the connection was not read. */
  readonly provider?: string | undefined;
  readonly groupRef?: string | undefined;
  /** The records could have been tried again: one that failed missed its deadline. */
  readonly isRetried: boolean;
  /** Logged when the fence of a call was lost. */
  readonly lateEvent: string;
  /** The records of the call, as they were loaded. Absent: it ended before. */
  readonly sent?: readonly Pick<PendingRecord, 'index' | 'ref'>[] | undefined;
  /** The end of an operation is logged also when it succeeded. */
  readonly logsSuccess: boolean;
  /** Of the first call in which a record failed. */
  failure?: LoggedFailure | undefined;
}

/** Settles a call behind its fence, counts its records, and logs the end of its operation. @throws as `settlePersistently` */
export async function settleAndReport(
  { settle, meters, logger }: Pick<CallContext, 'settle' | 'meters' | 'logger'>,
  { operationId, number, projectId, objectName, traceparent }: ClaimedCall,
  settlement: Settlement,
  of: Reporting,
): Promise<StoredSettlement> {
  const facts = { operationId, call: number };
  const { provider, groupRef, isRetried } = of;
  // Before it is stored: the settlement that ends the operation may be another one, and then knows of it.
  of.failure ??= failureOf(settlement, of.sent);
  const settled = await asStep('call.settle', facts, () => settlePersistently(settle, settlement));
  if (!settled.isHeld) logger.warn(facts, of.lateEvent);
  else {
    logger.debug({ ...facts, traceparent }, 'call.settled');
    meters.settled(settlement.records, { projectId, provider, isRetried });
  }
  if (settled.ended === undefined || !(of.logsSuccess || of.failure)) return settled;
  const ended = { operationId, status: settled.ended.status, traceparent };
  logger.info(
    of.failure ? { ...ended, projectId, groupRef, provider, objectName, ...of.failure } : ended,
    'operation.ended',
  );
  return settled;
}

/** How long a known outcome is kept while the database is away, and how often storing it is tried. */
const keepMs = 60_000;
const retryEveryMs = 250;

/**
 * Settles, and goes on trying while the database does not reply: a provider's outcome must not be thrown away. A settlement
 * that has lost its fence meanwhile becomes evidence.
 * @throws DependencyError after a minute, DefectError when the database refuses this settlement
 */
export async function settlePersistently(settle: SharedSettle, settlement: Settlement): Promise<StoredSettlement> {
  const startedAtMs = performance.now();
  for (;;) {
    const offeredAtMs = performance.now();
    try {
      const answer = await settle(settlement);
      if (answer instanceof SluiceError) throw answer;
      if (answer !== undefined) return { ...answer, offeredAtMs };
      const detail = `The outcome of call ${callId(settlement)} cannot be stored.`;
      throw new DefectError({ code: 'service.defect', detail });
    } catch (error) {
      const isWorthIt = error instanceof SluiceError && error.retry === 'backoff';
      if (!isWorthIt || performance.now() - startedAtMs > keepMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryEveryMs));
    }
  }
}

/**
 * Settles calls of one process together: those that end while a settlement runs share the next one. Those that wait for order keys are
 * settled apart, so that the others do not wait with them.
 */
export function sharingSettlements(writes: Pick<WriteStore, 'settle'>): SharedSettle {
  const [ordered, unordered] = [sharing(writes), sharing(writes)];
  return (settlement) => (settlement.orderKeys.length > 0 ? ordered : unordered)(settlement);
}

function sharing(writes: Pick<WriteStore, 'settle'>): SharedSettle {
  return coalesce({
    ...sharedStatement,
    weightOf: textBytes,
    // A late reply and the current one may name the same call.
    keyOf: callId,
    run: async (settlements: readonly Settlement[]) => {
      const { answers, released } = await writes.settle(settlements);
      const announcer = settlements.find((settlement) => isHeld(answers.get(callId(settlement))));
      return settlements.map((settlement) => {
        const answer = answers.get(callId(settlement));
        if (answer === undefined || answer instanceof SluiceError) return answer;
        return { ...answer, released: settlement === announcer ? released : [] };
      });
    },
  });
}

/** What the provider said of its records, about: a hundred refusals may have half a megabyte. */
function textBytes({ records }: Settlement): number {
  return records.reduce((bytes, record) => {
    if (record.kind === 'succeeded')
      return bytes + (record.warnings ?? []).reduce((sum, { length }) => sum + length, 0);
    const { text = '', problems = [] } = record.error ?? {};
    return bytes + text.length + problems.length * problemBytes;
  }, 0);
}

/** A problem with its names and its sentence. */
const problemBytes = 400;

function isHeld(answer: SettlingAnswer | undefined): boolean {
  return answer !== undefined && !(answer instanceof SluiceError) && answer.isHeld;
}
