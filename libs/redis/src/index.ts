export type { Cache, Hints, QuotaAnswer, QuotaBuckets, QuotaGauges, QuotaRequest } from './hints';
export { createInMemoryHints } from './in-memory-hints';
export { createRedisHints } from './redis-hints';
