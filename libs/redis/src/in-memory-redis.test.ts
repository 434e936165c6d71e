import { describeHints } from '../test/conformance';
import { createInMemoryRedis } from './in-memory-redis';

describeHints('in memory', async () => {
  const redis = createInMemoryRedis();
  return { open: async () => redis, dispose: () => redis.close() };
});
