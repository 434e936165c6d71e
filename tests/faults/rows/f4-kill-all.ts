import { check } from '../harness/checker';
import { killDuring } from '../harness/kill-during';
import { slower, type Row } from '../harness/row';

/** Latest flush beyond the longest restart: nobody can flush while every batcher is down. */
const flushLateMs = 60_000;

/** F4: nothing that matters is in anybody's memory. */
export const f4: Row = {
  id: 'F4',
  title: 'kill -9 of all five services at once',
  ciSize: { writes: 600, faults: 1 },
  fullSize: { writes: 20_000, faults: 10 },
  run: async (context) => {
    const victims = ['write-gateway', 'batcher', 'executor', 'search', 'management'] as const;
    const { ledger, restartMs, resumedMs } = await killDuring(context, { victims, areAll: true });
    const verdict = await check(context, ledger, { flushLateMs: restartMs + flushLateMs });
    const slow = [...slower({ resumedMs }, 10_000), ...slower({ recoveryMs: verdict.recoveryMs }, 30_000)];
    return { verdict, numbers: { restartMs, resumedMs }, misses: [], slow };
  },
};
