import { type Connector, type ProviderFailure, isOfSearch, loggableReason, toFailure } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import type { LaneKey, Store, WriteStore } from '@sluice/store';
import type { Logger } from '@sluice/telemetry';
import { statusEvent } from '@sluice/types';
import { type LaneQuotas, defaultBlockMs } from '../lane-quotas';
import type { LookupOutcome } from './look-up-created';
import type { UsedConnection } from './perform-call';

/** Where an outcome is stored. */
interface OutcomeNotes {
  readonly store: Pick<Store, 'connections' | 'writes'>;
  readonly logger: Logger;
}

/**
 * Stores what an attempt means for its lane and its connection. Called before the settlement, so that nobody claims from a lane that
 * was just refused. A 429 blocks the lane, not each write of it. Status writes compare-and-set on the version of the token that was used.
 * A write that needed no call changes nothing. Source: specification, Connection status.
 * @returns milliseconds that the lane is blocked for; 0 when it is not
 */
export async function noteOutcome(
  { store, logger }: OutcomeNotes,
  lane: LaneKey,
  { used, results, calls }: Omit<LookupOutcome, 'quota'>,
): Promise<number> {
  if (calls === 0) return 0;
  const { projectId, laneId } = lane;
  const failures = results.flatMap((result) => (result.ok ? [] : [result.error]));
  const block = failures.find((failure) => failure.scope === 'lane');
  const blockMs = block === undefined ? 0 : (block.retryAfterMs ?? defaultBlockMs);
  if (block !== undefined && (await store.writes.blockLane(lane, blockMs, block.message))) {
    logBlock(logger, { projectId, laneId, used }, block, blockMs);
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
  readonly logger: Logger;
}

/** An account, whose it is, and what speaks to it. */
interface CalledLane extends LaneKey {
  readonly used: Pick<UsedConnection, 'provider' | 'groupRef'>;
  readonly connector: Pick<Connector, 'capabilities'>;
}

/**
 * Calls an account, and blocks it when it refuses for its quota, as a refused write does. A caller that comes back before the provider's time is
 * refused without a call. A refusal for the limit of searches blocks searches alone. A block that cannot be stored is logged (`lane.not-blocked`) and
 * hides no reply.
 * @throws the error of `request`
 */
export async function blockingRefused<Answer>(
  blocks: LaneBlocks,
  lane: CalledLane,
  request: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof ProviderError && error.class === 'quota') await blockLane(blocks, lane, error);
    throw error;
  }
}

async function blockLane(
  { store, quotas, logger }: LaneBlocks,
  { connector, used, ...lane }: CalledLane,
  refused: ProviderError,
): Promise<void> {
  if (isOfSearch(refused)) return await quotas.blockSearches(lane, connector, refused.retryAfterMs);
  const blockMs = refused.retryAfterMs ?? defaultBlockMs;
  try {
    const isNew = await store.writes.blockLane(lane, blockMs, refused.detail);
    if (isNew) logBlock(logger, { ...lane, used }, toFailure(refused), blockMs);
  } catch (error) {
    // The caller still gets the provider's time; the next caller is refused by the provider again, and stores the block then.
    logger.warn({ ...lane, error }, 'lane.not-blocked');
  }
}

/** The provider's own words may quote a customer, so the line has none of them. */
function logBlock(
  logger: Logger,
  { projectId, laneId, used: { provider, groupRef } }: Omit<CalledLane, 'connector'>,
  refused: ProviderFailure,
  blockMs: number,
): void {
  const { class: failed, status } = refused;
  const why = { reason: loggableReason(refused), class: failed, ...(status !== undefined && { status }) };
  logger.warn(
    { projectId, groupRef, provider, laneId, ...why, blockedSeconds: Math.round(blockMs / 1_000) },
    'lane.blocked',
  );
}
