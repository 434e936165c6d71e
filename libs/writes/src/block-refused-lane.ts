import { isOfSearch } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import type { LaneKey, WriteStore } from '@sluice/store';
import type { Logger } from '@sluice/telemetry';
import type { LaneQuotas } from './lane-quotas';
import { defaultBlockMs } from './performing/note-outcome';

/** Where a block of an account is kept. */
interface LaneBlocks {
  readonly store: { readonly writes: Pick<WriteStore, 'blockLane'> };
  readonly quotas: Pick<LaneQuotas, 'blockSearches'>;
  readonly logger: Logger;
}

/**
 * Asks an account, and blocks it when it refuses for its quota, as a refused write does: who asks again before the provider's time is
 * told so without a call. What the provider refuses for the limit of its search blocks searches alone. A block that cannot be stored is logged (`lane.not-blocked`) and hides no answer.
 * @throws what `ask` throws
 */
export async function blockingRefused<Answer>(
  blocks: LaneBlocks,
  lane: LaneKey,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProviderError && error.class === 'quota') await block(blocks, lane, error);
    throw error;
  }
}

async function block({ store, quotas, logger }: LaneBlocks, lane: LaneKey, refused: ProviderError): Promise<void> {
  if (isOfSearch(refused)) return await quotas.blockSearches(lane, refused.retryAfterMs);
  try {
    await store.writes.blockLane(lane, refused.retryAfterMs ?? defaultBlockMs, refused.detail);
  } catch (error) {
    // The caller hears the provider's time all the same; who asks next is refused by the provider again, and writes it then.
    logger.warn({ ...lane, error }, 'lane.not-blocked');
  }
}
