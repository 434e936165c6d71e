import { type Connector, type ProviderFailure, isOfSearch, loggableReason, toFailure } from '@sluice/connectors';
import { type FailureClass, ProviderError } from '@sluice/errors';
import type { LaneKey, Store, WriteStore } from '@sluice/store';
import { type Logger, createConditions } from '@sluice/telemetry';
import { statusEvent } from '@sluice/types';
import { type LaneQuotas, defaultBlockMs } from '../lane-quotas';
import type { LookupOutcome } from './look-up-created';
import type { UsedConnection } from './perform-call';

/** Where an outcome is stored, and what logs of it what a person must know. */
interface OutcomeNotes {
  readonly store: Pick<Store, 'connections' | 'writes'>;
  readonly watch: OutcomeWatch;
  readonly logger: Logger;
}

/**
 * Stores what an attempt means for its lane and its connection. Called before the settlement, so that nobody claims from a lane that
 * was just refused. A 429 blocks the lane, not each write of it. Status writes compare-and-set on the version of the token that was used.
 * A write that needed no call changes nothing. Source: specification, Connection status.
 * @returns milliseconds that the lane is blocked for; 0 when it is not
 */
export async function noteOutcome(
  { store, watch, logger }: OutcomeNotes,
  lane: LaneKey,
  { used, results, calls }: Omit<LookupOutcome, 'quota'>,
): Promise<number> {
  if (calls === 0) return 0;
  const { projectId, laneId } = lane;
  const account = { projectId, laneId, used };
  watch.called(account, results);
  const failures = results.flatMap((result) => (result.ok ? [] : [result.error]));
  const block = failures.find((failure) => failure.scope === 'lane');
  const blockMs = block === undefined ? 0 : (block.retryAfterMs ?? defaultBlockMs);
  if (block !== undefined) {
    watch.blocked(account, block, blockMs);
    await store.writes.blockLane(lane, blockMs, block.message);
  }
  const refused = failures.find((failure) => failure.class === 'credentials');
  const status =
    refused !== undefined ? 'bad_credentials' : results.some((result) => result.ok) ? 'working' : used.status;
  if (status === used.status) return blockMs;
  const { connectionId, tokenVersion, groupRef, provider } = used;
  const isChanged = await store.connections.setStatus({ projectId, connectionId, tokenVersion, status });
  const event = isChanged ? statusEvent(used.status, status) : undefined;
  if (event !== undefined) {
    const why = refused && { reason: loggableReason(refused), status: refused.status, count: results.length };
    logger.warn({ projectId, groupRef, provider, connectionId, ...why }, event);
  }
  return blockMs;
}

/** Where a block of an account is kept. */
interface LaneBlocks {
  readonly store: { readonly writes: Pick<WriteStore, 'blockLane'> };
  readonly quotas: Pick<LaneQuotas, 'blockSearches'>;
  readonly watch: OutcomeWatch;
  readonly logger: Logger;
}

/** An account, and what speaks to it. */
interface CalledLane extends CalledAccount {
  readonly connector: Pick<Connector, 'capabilities'>;
}

/**
 * Calls an account, and blocks it when it refuses for its quota, as a refused write does: a caller that comes back before the provider's time
 * is refused without a call. A refusal for the limit of searches blocks searches alone. A block that cannot be stored is logged
 * (`lane.not-blocked`) and hides no reply.
 * @throws the error of `request`
 */
export async function blockingRefused<Answer>(
  blocks: LaneBlocks,
  lane: CalledLane,
  request: () => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await request();
    blocks.watch.called(lane, [{ ok: true }]);
    return answer;
  } catch (error) {
    if (error instanceof ProviderError) blocks.watch.called(lane, [{ ok: false, error: toFailure(error) }]);
    if (error instanceof ProviderError && error.class === 'quota') await blockLane(blocks, lane, error);
    throw error;
  }
}

async function blockLane(
  { store, quotas, watch, logger }: LaneBlocks,
  { connector, used, ...lane }: CalledLane,
  refused: ProviderError,
): Promise<void> {
  if (isOfSearch(refused)) return await quotas.blockSearches(lane, connector, refused.retryAfterMs);
  const blockMs = refused.retryAfterMs ?? defaultBlockMs;
  watch.blocked({ ...lane, used }, toFailure(refused), blockMs);
  try {
    await store.writes.blockLane(lane, blockMs, refused.detail);
  } catch (error) {
    // The caller still gets the provider's time; the next caller is refused by the provider again, and stores the block then.
    logger.warn({ ...lane, error }, 'lane.not-blocked');
  }
}

/** Outcomes of one call, as far as they tell whether it went well. */
type Results = readonly ({ readonly ok: true } | { readonly ok: false; readonly error: ProviderFailure })[];

/** Whose account a call was made to. */
export interface CalledAccount extends LaneKey {
  readonly used: Pick<UsedConnection, 'provider' | 'groupRef'>;
}

/**
 * Logs what a person must know of the calls of this process: a line when it begins and a line when it ends, never one for each call. No statement is made
 * for it. A provider fails when it does not answer, whoever is called; a group fails when none of a call's records is written, whatever the reason.
 */
export interface OutcomeWatch {
  called(account: CalledAccount, results: Results): void;
  /** The account is blocked from now on for so many milliseconds. */
  blocked(account: CalledAccount, refused: ProviderFailure, blockMs: number): void;
}

/** What a provider itself is at fault for, and not the customer's account or records. */
const ofProvider: ReadonlySet<FailureClass> = new Set(['unavailable', 'timeout', 'unknown']);

/** Calls that must fail, when they are most of the last twenty: fewer are a hiccup that the retries hide. */
const badMin = 5;
/** A provider that is called has recovered long before; one that nobody calls is of no interest. */
const providerQuietMs = 5 * 60_000;
/** Longer than the longest pause between two tries of a write that waits for its provider. */
const groupQuietMs = 30 * 60_000;
/** An account that is blocked again within a minute was not free in between. */
const laneQuietMs = 60_000;

export function createOutcomeWatch(logger: Logger): OutcomeWatch {
  const condition = createConditions({ logger });
  const providers = condition({
    begins: 'provider.failing',
    ends: 'provider.recovered',
    badMin,
    quietMs: providerQuietMs,
  });
  const groups = condition({ begins: 'group.failing', ends: 'group.recovered', badMin, quietMs: groupQuietMs });
  const lanes = condition({ begins: 'lane.blocked', ends: 'lane.unblocked', badMin: 1, quietMs: laneQuietMs });
  return {
    called: ({ projectId, used: { provider, groupRef } }, results) => {
      const failures = results.flatMap((result) => (result.ok ? [] : [result.error]));
      const [failure] = failures.length === results.length ? failures : [];
      const group = { projectId, groupRef, provider };
      if (failure === undefined) {
        groups.good(group);
        providers.good({ provider });
        return;
      }
      const observation = { reason: loggableReason(failure), facts: factsOf(failure) };
      groups.bad(group, observation);
      if (ofProvider.has(failure.class))
        providers.bad({ provider }, { ...observation, facts: { ...observation.facts, groupRef } });
      else providers.good({ provider });
    },
    blocked: ({ projectId, laneId, used: { provider, groupRef } }, refused, lastsMs) => {
      const facts = { ...factsOf(refused), groupRef, blockedSeconds: Math.round(lastsMs / 1_000) };
      lanes.bad({ projectId, laneId, provider }, { reason: loggableReason(refused), facts, lastsMs });
    },
  };
}

function factsOf({ class: failed, status }: ProviderFailure): Readonly<Record<string, string | number>> {
  return { class: failed, ...(status !== undefined && { status }) };
}
