import type { ConnectionOptions } from 'bullmq';

/** `maxRetriesPerRequest: null` is what BullMQ demands of workers. */
export function redisConnection(redisUrl: string): ConnectionOptions {
  return { url: redisUrl, maxRetriesPerRequest: null };
}
