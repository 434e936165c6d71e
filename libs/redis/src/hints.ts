/** Text by key, for a while. A hint: every failure is a miss, nothing throws, nothing waits longer than 50 ms. */
export interface Cache {
  get(key: string): Promise<string | undefined>;
  /** @param ttlMs always set: nothing stays for ever */
  set(key: string, value: string, ttlMs: number): Promise<void>;
  delete(key: string): Promise<void>;
}

export interface QuotaRequest {
  /** Calls allowed in any window of `windowMs`. */
  readonly limit: number;
  readonly windowMs: number;
  /** Share of the limit kept for synchronous calls, 0 to 1. @default 0.2 */
  readonly reserve?: number;
  /** A synchronous call may use the reserve. @default 'asynchronous' */
  readonly priority?: 'synchronous' | 'asynchronous';
}

export interface QuotaAnswer {
  readonly granted: boolean;
  /** How long until it is worth asking again, in milliseconds; 0 when granted. */
  readonly retryAfterMs: number;
}

/** Counts calls per provider account, so that all processes together stay under the provider's own limit. */
export interface QuotaBuckets {
  /** Never lets more than `limit` through in any window. When Redis is away, a local bucket of half the limit answers. */
  take(bucket: string, request: QuotaRequest): Promise<QuotaAnswer>;
}

/** What may be lost at any moment: it costs latency, never a write. */
export interface Hints {
  readonly cache: Cache;
  readonly quotas: QuotaBuckets;
  healthy(): Promise<boolean>;
  close(): Promise<void>;
}

/** Calls a request may see in its window before it is refused. */
export function allowanceOf({ limit, reserve = 0.2, priority = 'asynchronous' }: QuotaRequest): number {
  return priority === 'synchronous' ? limit : Math.max(1, Math.floor(limit * (1 - reserve)));
}
