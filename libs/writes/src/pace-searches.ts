import { setTimeout as sleep } from 'node:timers/promises';
import type { QuotaAnswer } from '@sluice/redis';
import { bucketOf, type LaneQuotas } from './lane-quotas';

/** Longest wait of a search for its quota: two windows of HubSpot's. Our choice: a longer wait is refused with the time to try again. */
const waitMaxMs = 2_000;

/** Quota for one search, which waits until `signal` says that its caller has left. */
export type SearchPace = (signal: AbortSignal) => Pick<LaneQuotas, 'take'>;

/** Searches of one lane that wait for quota, and the end of the last one's wait. */
interface Line {
  waiting: number;
  tail: Promise<unknown>;
}

/**
 * Paces searches before it refuses them, where the provider has a limit for searches alone. That limit is so low that a page which searches as its
 * user types would meet it. Searches of a lane wait in one queue per process, and only the first takes quota. A search that would wait longer than 2
 * s is refused at once. Elsewhere searches are refused without a wait, because writes would wait behind them.
 */
export function createSearchPace(quotas: Pick<LaneQuotas, 'take'>): SearchPace {
  const lines = new Map<string, Line>();
  return (signal) => ({
    take: async (lane, connector, priority) => {
      const own = connector.capabilities.searchQuota;
      if (own === false) return await quotas.take(lane, connector, priority, 'search');
      const id = bucketOf(lane);
      const line = lines.get(id) ?? { waiting: 0, tail: Promise.resolve() };
      const turnMs = own.windowMs / own.limit;
      // A window's worth may be granted at once.
      const waitMs = (line.waiting - own.limit) * turnMs;
      if (waitMs >= waitMaxMs) return { granted: false, retryAfterMs: Math.ceil(waitMs) };
      lines.set(id, line);
      line.waiting += 1;
      const untilMs = performance.now() + waitMaxMs;
      const take = () => quotas.take(lane, connector, priority, 'search');
      const turn = line.tail.then(() => untilGranted(take, untilMs, signal));
      line.tail = turn.catch(() => undefined);
      try {
        return await turn;
      } finally {
        line.waiting -= 1;
        if (line.waiting === 0) lines.delete(id);
      }
    },
  });
}

async function untilGranted(
  take: () => Promise<QuotaAnswer>,
  untilMs: number,
  signal: AbortSignal,
): Promise<QuotaAnswer> {
  for (;;) {
    // A caller that has left reads no reply: the quota is for the next in the queue.
    if (signal.aborted) return { granted: false, retryAfterMs: 1 };
    const answer = await take();
    if (answer.granted || performance.now() + answer.retryAfterMs > untilMs) return answer;
    await sleep(answer.retryAfterMs, undefined, { signal }).catch(() => undefined);
  }
}
