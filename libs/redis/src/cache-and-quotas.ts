import type { Fault } from '@sluice/telemetry';

/**
 * Remembers values for a while. A hint and never a promise: every failure reads as a miss, nothing throws, and an
 * answer takes at most 50 ms. So nothing may be cached whose change must be visible before its time to live is over.
 */
export interface Cache {
  /** Undefined: not known, for whatever reason. */
  get(key: string): Promise<string | undefined>;
  /** The values of these keys in one request, in their order. Undefined as a whole: no reply, so nothing is known of any. */
  getMany(keys: readonly string[]): Promise<readonly (string | undefined)[] | undefined>;
  /**
   * Keeps the value for `ttlMs`, or less. A larger value than some hundred characters would make a hint slower than what it saves.
   * Never put a secret or a customer's value here.
   */
  set(key: string, value: string, ttlMs: number): Promise<void>;
}

/** One request to a bucket. */
export interface QuotaRequest {
  /** Calls that may be let through in any `windowMs`. HubSpot: 110 in 10,000 ms. */
  readonly limit: number;
  readonly windowMs: number;
  /** Calls taken at once, all or none. More than the limit allows is treated as all of it. @default 1 */
  readonly cost?: number;
  /** Share of the limit, 0 to 1, that only `priority: 'synchronous'` may take. @default 0.2 */
  readonly reserve?: number;
  /** A caller waits for a synchronous call: it may use the reserve. @default 'asynchronous' */
  readonly priority?: 'synchronous' | 'asynchronous';
  /**
   * The calls may come from a block that this process leased, without a request to Redis. Unused leased calls are lost to the other processes until
   * the lease ends. A block is at most a tenth of the remaining calls. Nothing is leased of a limit below 50. @default false
   */
  readonly isLeasable?: boolean;
}

export interface QuotaAnswer {
  readonly granted: boolean;
  /** 0 when granted; else when to try again, at least 1. */
  readonly retryAfterMs: number;
  /** Part of the limit, 0 to 1, that is left in the window for a request like this one. */
  readonly leftRatio?: number;
  /** Of a grant: nothing was sent, and others may have it. Never throws; once, and at once. */
  readonly giveBack?: () => void;
}

/**
 * Distributes a provider's call quota. Never more than `limit` are granted in any window, across all processes that
 * share a Redis. While Redis does not answer, each process grants at most half of the
 * limit by itself, counting what it has been granted before. The provider's own 429 decides in the end.
 */
export interface QuotaBuckets {
  /** Never throws. @param bucket what the quota belongs to: a lane id, with the name of the quota if it has several */
  take(bucket: string, request: QuotaRequest): Promise<QuotaAnswer>;
  /**
   * The provider refuses all of the bucket for `forMs`, whatever was granted: nothing is granted before then. A hint: where it is lost, the
   * provider refuses again. Never throws.
   */
  exhaust(bucket: string, window: Pick<QuotaRequest, 'limit' | 'windowMs'>, forMs: number): Promise<void>;
}

/** A bucket with the window that its calls are counted in. */
export interface QuotaWindow {
  readonly bucket: string;
  readonly windowMs: number;
}

/** Reads buckets and takes nothing. */
export interface QuotaGauges {
  /**
   * The calls that were granted in the window that ends now, in the order of the buckets. Undefined: not known, for whatever
   * reason. Never throws, and takes at most 50 ms for all of them.
   */
  used(windows: readonly QuotaWindow[]): Promise<readonly (number | undefined)[]>;
}

/** What may be lost at any moment without harm: a cache and quota buckets. */
export interface CacheAndQuotas {
  readonly cache: Cache;
  readonly quotas: QuotaBuckets & QuotaGauges;
  /** Whether the shared store takes writes. False is no reason to refuse work. */
  healthy(): Promise<boolean>;
  /** What keeps it from that; undefined for nothing. Never rejects. */
  readonly health: () => Promise<Fault | undefined>;
  /** Afterwards every read is a miss and quotas are answered locally. Never rejects. */
  close(): Promise<void>;
}
