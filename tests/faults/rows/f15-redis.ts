import { check } from '../harness/checker';
import { unexpectedReplies, type Heard } from '../harness/client-ledger';
import { gentleConcurrency, sendLoad } from '../harness/load';
import type { Row, RowContext } from '../harness/row';
import { askRedis } from './support/ask-redis';

/** How long Redis is away or refuses, in milliseconds. */
const outageMs = 1_500;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Redis is killed, emptied, out of memory and a replica while everybody writes: it only hints, so nobody may notice. */
export const f15: Row = {
  id: 'F15',
  title: 'Redis kill, FLUSHALL, OOM noeviction, READONLY',
  ciSize: { writes: 900, faults: 1 },
  fullSize: { writes: 20_000, faults: 10 },
  run: async (context) => {
    const { size } = context;
    const perSecond = context.isFull ? 200 : 120;
    let isHarmed = true;
    const loading = sendLoad(context, {
      writes: size.writes,
      perSecond,
      goesOn: () => isHarmed,
      concurrency: gentleConcurrency,
    });
    try {
      for (let round = 0; round < size.faults; round += 1) await harm(context);
    } finally {
      isHarmed = false;
    }
    const ledger = await loading;
    return { verdict: await check(context, ledger), misses: unexpectedReplies(ledger, isQuotaUsed) };
  },
};

async function harm({ world }: RowContext): Promise<void> {
  await pause(300);
  await world.killService('redis');
  await pause(outageMs);
  await world.startService('redis');
  await pause(300);
  const url = world.serviceUrl('redis');
  await askRedis(url, 'FLUSHALL');
  await pause(300);
  await askRedis(url, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  await askRedis(url, 'CONFIG', 'SET', 'maxmemory', '1');
  await pause(outageMs);
  await askRedis(url, 'CONFIG', 'SET', 'maxmemory', '0');
  // A failover, as a client sees it that stays connected: reads are answered, and no write is taken.
  await askRedis(url, 'REPLICAOF', '127.0.0.1', '9');
  await pause(outageMs);
  await askRedis(url, 'REPLICAOF', 'NO', 'ONE');
}

/**
 * With its counts emptied each process knows only of its own calls, so an account may be called more often than it allows, and says so.
 * That is its answer to a synchronous write; nobody else may notice.
 */
function isQuotaUsed({ way, code }: Heard): boolean {
  return way === 'sync' && code === 'provider.quota-exhausted';
}
