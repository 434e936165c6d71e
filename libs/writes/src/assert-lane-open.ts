import type { Connector } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import type { LaneKey, WriteStore } from '@sluice/store';
import type { LaneQuotas } from './lane-quotas';

/** What knows of a provider account before it is called. */
export interface LaneGate {
  readonly store: { readonly writes: Pick<WriteStore, 'readLaneBlock'> };
  readonly quotas: Pick<LaneQuotas, 'take'>;
}

/**
 * Takes quota for a call that a caller waits for, a write or a search.
 * @throws ProviderError `quota` when the account is blocked or its quota is spent; says when to come again
 */
export async function assertLaneOpen({ store, quotas }: LaneGate, lane: LaneKey, connector: Connector): Promise<void> {
  const blockedMs = await store.writes.readLaneBlock(lane);
  if (blockedMs > 0) throw quotaExhausted('The provider account is blocked after it refused a call.', blockedMs);
  const taken = await quotas.take(lane, connector, 'synchronous');
  if (!taken.granted) throw quotaExhausted("The customer's provider quota is used up.", taken.retryAfterMs);
}

function quotaExhausted(reason: string, retryAfterMs: number): ProviderError {
  return new ProviderError({ class: 'quota', detail: `${reason} Nothing was sent.`, retryAfterMs });
}
