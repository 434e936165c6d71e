import {
  isOfSearch,
  loggableReason,
  toFailure,
  type Connector,
  type ObservedQuota,
  type ProviderFailure,
  type QuotaName,
} from '@sluice/connectors';
import type { Cache, QuotaAnswer, QuotaBuckets, QuotaGauges } from '@sluice/redis';
import type { LaneKey, WriteStore } from '@sluice/store';
import type { Counter, Histogram, Logger, Metrics } from '@sluice/telemetry';
import { ProviderError } from '@sluice/errors';
import type { UsedConnection } from './performing/attempt';

/** Lanes whose limit is remembered per process; one that is forgotten counts by the provider's declared limit again. */
const lanesMax = 10_000;

/** A learned limit is published for this long after the last reply that stated it, and again at half of that. Our choice: plans change rarely. */
const publishedForMs = 3_600_000;

/** Block of a lane whose provider states neither a duration nor a reason; HubSpot's rolling window is this long. */
export const defaultBlockMs = 10_000;

type Priority = 'synchronous' | 'asynchronous';

/**
 * The provider's burst limits per lane, counted over all processes: by the limit that replies state, and by the one the connector declares until the first
 * reply. Before the declared limit refuses a call, the limit that replies of other processes stated is read. Their calls fill the same bucket, up to the
 * account's own limit.
 */
export class LaneQuotas {
  private readonly left: Histogram<'sluice_quota_left_ratio'>;
  private readonly refusals: Counter<'sluice_quota_refusals_total'>;
  private readonly learned = new Map<string, ObservedQuota & { readonly publishedMs: number }>();

  /** @param published where learned limits are kept for the other processes and for views of the lane */
  constructor(
    private readonly buckets: QuotaBuckets,
    metrics: Metrics,
    private readonly published?: Pick<Cache, 'get' | 'set'>,
  ) {
    this.left = metrics.histogram('sluice_quota_left_ratio');
    this.refusals = metrics.counter('sluice_quota_refusals_total');
  }

  /** @param wanted which of them the call counts in: `search` is `account` where the provider has none for searches */
  async take(
    lane: LaneKey,
    { provider, capabilities }: Connector,
    priority: Priority,
    wanted: QuotaName = 'account',
  ): Promise<QuotaAnswer> {
    const own = wanted === 'search' && capabilities.searchQuota;
    const quota = own === false ? 'account' : 'search';
    const answer = await (own
      ? this.buckets.take(searchBucketOf(lane), { ...own, priority, isLeasable: true })
      : this.takeOfAccount(lane, capabilities.quota, priority));
    if (answer.leftRatio !== undefined) this.left.observe({ provider, quota }, answer.leftRatio);
    if (!answer.granted) this.refusals.inc({ provider, quota });
    return answer;
  }

  /**
   * The provider refused a search for the limit that searches have for themselves: none of the lane is granted before then. A hint to all
   * processes, and never a promise: where it is lost, the provider refuses the next search as well. Never throws.
   */
  async blockSearches(
    lane: LaneKey,
    { capabilities: { searchQuota } }: Pick<Connector, 'capabilities'>,
    blockMs = defaultBlockMs,
  ): Promise<void> {
    if (searchQuota !== false) await this.buckets.exhaust(searchBucketOf(lane), searchQuota, blockMs);
  }

  /** The account's own limit, as a reply stated it; it depends on the customer's plan. */
  learn(lane: LaneKey, quota: ObservedQuota | undefined): void {
    if (quota === undefined) return;
    const [known, now] = [this.learned.get(bucketOf(lane)), performance.now()];
    const isSame = known?.limit === quota.limit && known.windowMs === quota.windowMs;
    const isPublished = isSame && now - known.publishedMs < publishedForMs / 2;
    this.remember(lane, quota, isPublished ? known.publishedMs : now);
    if (isPublished) return;
    void this.published?.set(limitKeyOf(lane), `${quota.limit}/${quota.windowMs}`, publishedForMs);
  }

  private async takeOfAccount(lane: LaneKey, declared: ObservedQuota, priority: Priority): Promise<QuotaAnswer> {
    const known = this.learned.get(bucketOf(lane));
    const answer = await this.countBy(known ?? declared, lane, priority);
    if (known !== undefined || answer.granted) return answer;
    const stated = limitOf(await this.published?.get(limitKeyOf(lane)));
    if (stated === undefined) return answer;
    this.remember(lane, stated, performance.now());
    return await this.countBy(stated, lane, priority);
  }

  private countBy({ limit, windowMs }: ObservedQuota, lane: LaneKey, priority: Priority): Promise<QuotaAnswer> {
    return this.buckets.take(bucketOf(lane), { limit, windowMs, priority, isLeasable: true });
  }

  private remember(lane: LaneKey, quota: ObservedQuota, publishedMs: number): void {
    this.learned.set(bucketOf(lane), { ...quota, publishedMs });
    const [oldest] = this.learned.keys();
    if (this.learned.size > lanesMax && oldest !== undefined) this.learned.delete(oldest);
  }
}

/** The bucket that the calls of a lane are counted in. */
export function bucketOf({ projectId, laneId }: LaneKey): string {
  return `${projectId}/${laneId}`;
}

/** The bucket of the lane's searches, where the provider has a limit for them alone. */
function searchBucketOf(lane: LaneKey): string {
  return `${bucketOf(lane)}/search`;
}

/** The key of the limit that replies stated for a lane. */
function limitKeyOf(lane: LaneKey): string {
  return `lane-limit:${bucketOf(lane)}`;
}

/** Undefined for anything but a limit: the text comes from a store that others may write to. */
function limitOf(text: string | undefined): ObservedQuota | undefined {
  const [, limit, windowMs] = /^(\d{1,9})\/([1-9]\d{0,9})$/.exec(text ?? '') ?? [];
  return limit === undefined ? undefined : { limit: Number(limit), windowMs: Number(windowMs) };
}

/** A lane with the limit that its provider declares. */
interface DeclaredLane extends LaneKey {
  readonly declared: ObservedQuota;
}

/** The limit that the lane's calls are counted by, and what is left of it. */
interface LaneWindow extends ObservedQuota {
  /** Calls left in the window that ends now. Absent: not known. */
  readonly left?: number;
}

/** Where the counts are shared. */
interface LaneGauges {
  readonly cache: Pick<Cache, 'getMany'>;
  readonly quotas: QuotaGauges;
}

/**
 * What is left of the window of each lane, in their order: by the limit that replies stated last, else by the declared one.
 * While it is not known which limits were stated, the declared ones are returned, without what is left. Never throws; takes
 * at most 100 ms, also when the shared store does not reply.
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

/** What decides whether a provider account may be called. */
export interface LaneGate {
  readonly store: { readonly writes: Pick<WriteStore, 'readLaneBlock'> };
  readonly quotas: Pick<LaneQuotas, 'take'>;
}

/**
 * Takes quota for a call that a caller waits for. The caller checks afterwards whether the account is blocked, and gives it back if it is.
 * @throws ProviderError `quota` when the account's quota is spent, or the account is blocked; states when to try again
 */
export async function takeLaneQuota(
  { store, quotas }: LaneGate,
  lane: LaneKey,
  connector: Connector,
): Promise<QuotaAnswer> {
  const taken = await quotas.take(lane, connector, 'synchronous');
  if (taken.granted) return taken;
  // What its provider said comes before what we counted.
  const blockedMs = await store.writes.readLaneBlock(lane);
  throw blockedMs > 0
    ? laneBlocked(blockedMs)
    : quotaExhausted("The customer's provider quota is used up.", taken.retryAfterMs);
}

/** The refusal of a call to an account that is blocked for this long. */
export function laneBlocked(blockedMs: number): ProviderError {
  return quotaExhausted('The provider account is blocked after it refused a call.', blockedMs);
}

function quotaExhausted(reason: string, retryAfterMs: number): ProviderError {
  return new ProviderError({ class: 'quota', detail: `${reason} Nothing was sent.`, retryAfterMs });
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
export function logBlock(
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
