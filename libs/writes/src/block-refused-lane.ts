import { ProviderError } from '@sluice/errors';
import type { LaneKey, WriteStore } from '@sluice/store';
import { defaultBlockMs } from './performing/note-outcome';

/** Where a block of an account is kept. */
interface LaneBlocks {
  readonly store: { readonly writes: Pick<WriteStore, 'blockLane'> };
}

/**
 * Asks an account, and blocks it when it refuses for its quota, as a refused write does: who asks again before the provider's time is
 * told so without a call. Source: design, section 5.9.
 * @throws what `ask` throws
 */
export async function blockingRefused<Answer>(
  { store }: LaneBlocks,
  lane: LaneKey,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProviderError && error.class === 'quota') {
      await store.writes.blockLane(lane, error.retryAfterMs ?? defaultBlockMs, error.detail);
    }
    throw error;
  }
}
