import type { Connector, ObservedQuota } from '@sluice/connectors';
import type { QuotaAnswer, QuotaBuckets } from '@sluice/redis';
import type { LaneKey } from '@sluice/store';

/** Lanes whose limit is remembered per process; one that is forgotten counts by the provider's declared limit again. */
const lanesMax = 10_000;

/** The provider's burst limit per lane, counted over all processes. */
export interface LaneQuotas {
  take(lane: LaneKey, connector: Connector, priority: 'synchronous' | 'asynchronous'): Promise<QuotaAnswer>;
  /** What a reply said of the account's own limit, which depends on the customer's plan. */
  learn(lane: LaneKey, quota: ObservedQuota | undefined): void;
}

/** Counts by the limit that replies state, and by the one the connector declares until the first reply. */
export function createLaneQuotas(buckets: QuotaBuckets): LaneQuotas {
  const learned = new Map<string, ObservedQuota>();
  const idOf = ({ projectId, laneId }: LaneKey): string => `${projectId}/${laneId}`;
  return {
    take: (lane, connector, priority) => {
      const quota = learned.get(idOf(lane)) ?? connector.capabilities.quota;
      return buckets.take(idOf(lane), { ...quota, priority });
    },
    learn: (lane, quota) => {
      if (quota === undefined) return;
      learned.set(idOf(lane), quota);
      const [oldest] = learned.keys();
      if (learned.size > lanesMax && oldest !== undefined) learned.delete(oldest);
    },
  };
}
