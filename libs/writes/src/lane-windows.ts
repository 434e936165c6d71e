import type { ObservedQuota } from '@sluice/connectors';
import type { Cache, QuotaGauges } from '@sluice/redis';
import type { LaneKey } from '@sluice/store';
import { bucketOf, limitKeyOf, limitOf } from './lane-buckets';

/** A lane with the limit that its provider declares. */
export interface DeclaredLane extends LaneKey {
  readonly declared: ObservedQuota;
}

/** The limit that the lane's calls are counted by, and what is left of it. */
export interface LaneWindow extends ObservedQuota {
  /** Calls left in the window that ends now. Absent: not known. */
  readonly left?: number;
}

/** Where the counts are shared. */
export interface LaneGauges {
  readonly cache: Pick<Cache, 'getMany'>;
  readonly quotas: QuotaGauges;
}

/**
 * What is left of the window of each lane, in their order: by the limit that replies stated last, else by the declared one.
 * While it is not known which limits were stated, the declared ones are told, and nothing of what is left. Never throws; takes
 * at most 100 ms, whatever the shared store does.
 * @param gauges undefined: there is none, and nothing is known but what is declared
 */
export async function readLaneWindows(
  gauges: LaneGauges | undefined,
  lanes: readonly DeclaredLane[],
): Promise<readonly LaneWindow[]> {
  if (gauges === undefined) return lanes.map(({ declared }) => declared);
  const stated = await gauges.cache.getMany(lanes.map(limitKeyOf));
  if (stated === undefined) return lanes.map(({ declared }) => declared);
  const limits = lanes.map(({ declared }, index) => limitOf(stated[index]) ?? declared);
  const used = await gauges.quotas.used(
    lanes.map((lane, index) => ({ bucket: bucketOf(lane), windowMs: limits[index]?.windowMs ?? 0 })),
  );
  return limits.map(({ limit, windowMs }, index) => {
    const count = used[index];
    return { limit, windowMs, ...(count === undefined ? {} : { left: Math.max(0, limit - count) }) };
  });
}
