import { Redis } from 'ioredis';
import { takeScript, usedScript } from './quota-scripts';

/** A client with the quota scripts as commands of their own. */
export interface RedisClient extends Redis {
  takeQuota(key: string, ...args: number[]): Promise<[granted: number, retryAfterMs: number, used: number]>;
  usedQuota(key: string, windowMs: number, slices: number): Promise<number>;
}

/**
 * Connects in the background and for ever. Nothing is queued for a Redis that is away and nothing is sent twice:
 * whoever asks wants an answer now or none.
 */
export function redisClient(url: string): RedisClient {
  const client = new Redis(url, {
    // Understood by every Redis and by the stores that imitate it.
    protocol: 2,
    connectTimeout: 1_000,
    // A connection that stays silent to a command this long is given up and made anew.
    socketTimeout: 2_000,
    // A close while Redis is away keeps the process up for this long (a timer of ioredis on a dead connection).
    disconnectTimeout: 250,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt - 1, 10), 1_000),
  });
  client.defineCommand('takeQuota', { numberOfKeys: 1, lua: takeScript });
  client.defineCommand('usedQuota', { numberOfKeys: 1, lua: usedScript, readOnly: true });
  return client as RedisClient;
}
