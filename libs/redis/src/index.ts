export type { Cache, Hints, QuotaAnswer, QuotaBuckets, QuotaRequest } from './hints';
export { createInMemoryHints } from './in-memory-hints';
export { createRedisHints, type RedisHintsOptions } from './redis-hints';
