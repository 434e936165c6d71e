export type { Cache, Hints, QuotaAnswer, QuotaBuckets, QuotaGauges, QuotaRequest, QuotaWindow } from './hints';
export { createInMemoryHints } from './in-memory-hints';
export { createRedisHints, type RedisHintsOptions } from './redis-hints';
