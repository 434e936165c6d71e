import type { Connector, ObservedQuota } from '@sluice/connectors';
import type { QuotaAnswer, QuotaBuckets } from '@sluice/redis';
import type { LaneKey } from '@sluice/store';
import type { Metrics } from '@sluice/telemetry';

/** Lanes whose limit is remembered per process; one that is forgotten counts by the provider's declared limit again. */
const lanesMax = 10_000;

/** The provider's burst limit per lane, counted over all processes. */
export interface LaneQuotas {
  take(lane: LaneKey, connector: Connector, priority: 'synchronous' | 'asynchronous'): Promise<QuotaAnswer>;
  /** What a reply said of the account's own limit, which depends on the customer's plan. */
  learn(lane: LaneKey, quota: ObservedQuota | undefined): void;
}

/** Counts by the limit that replies state, and by the one the connector declares until the first reply. */
export function createLaneQuotas(buckets: QuotaBuckets, metrics: Metrics): LaneQuotas {
  const left = metrics.histogram('sluice_quota_left_ratio');
  const refusals = metrics.counter('sluice_quota_refusals_total');
  const learned = new Map<string, ObservedQuota>();
  const idOf = ({ projectId, laneId }: LaneKey): string => `${projectId}/${laneId}`;
  return {
    take: async (lane, connector, priority) => {
      const quota = learned.get(idOf(lane)) ?? connector.capabilities.quota;
      const answer = await buckets.take(idOf(lane), { ...quota, priority });
      const { provider } = connector;
      if (answer.leftRatio !== undefined) left.observe({ provider }, answer.leftRatio);
      if (!answer.granted) refusals.inc({ provider });
      return answer;
    },
    learn: (lane, quota) => {
      if (quota === undefined) return;
      learned.set(idOf(lane), quota);
      const [oldest] = learned.keys();
      if (learned.size > lanesMax && oldest !== undefined) learned.delete(oldest);
    },
  };
}
