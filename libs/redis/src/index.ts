export type { Cache, CacheAndQuotas, QuotaAnswer, QuotaBuckets, QuotaGauges, QuotaRequest } from './cache-and-quotas';
export { createInMemoryRedis } from './in-memory-redis';
export { connectRedis } from './connect-redis';
