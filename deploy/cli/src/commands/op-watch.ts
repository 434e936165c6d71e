import type { Operation, OperationProgress } from '@sluice/types';
import { connected } from '../command';
import { exitCodes } from '../failure';
import { clockTime, plain, print } from '../output/print';
import type { Standing } from '../output/progress';
import type { GivenOptions } from '../profiles/connect';
import { readSeconds } from '../read-options';

interface WatchOptions extends GivenOptions {
  readonly timeout?: string;
}

/** Progress until the operation ends; the exit code is its result. With `--json` the ended operation. */
export async function watch(options: WatchOptions, operationId: string): Promise<number> {
  const { timeout } = options;
  const untilMs = timeout === undefined ? Infinity : performance.now() + readSeconds('--timeout', timeout) * 1_000;
  const { createProgress } = await import('../output/progress.js');
  const progress = options.json === true ? undefined : createProgress(process.stdout);
  try {
    const operation = await connected(options, async ({ management }) => {
      let current = await management.getOperation({ operationId });
      for (;;) {
        // Counts only, however many records there are: an explanation is asked for by `op explain`.
        progress?.show(standingOf(await management.getOperationProgress({ operationId })));
        if (current.status !== 'in_progress' || performance.now() >= untilMs) return current;
        // The server answers at the end at once; else the second is the pace of the bar.
        current = await management.getOperation({ operationId, waitSeconds: 1 });
      }
    });
    progress?.end();
    print(options, operation, () => describeEnd(operation));
    const { done, operationFailed, stillRunning } = exitCodes;
    return { success: done, failure: operationFailed, in_progress: stillRunning }[operation.status];
  } finally {
    progress?.end();
  }
}

function describeEnd({ id, status, result }: Operation): string {
  if (status === 'in_progress') return `in_progress: it goes on. Follow it: sluice op watch ${id}`;
  // A result repeats the provider's words.
  return plain(`${status}: ${result ?? 'ended'}`);
}

function standingOf({ records, ...course }: OperationProgress): Standing {
  const { total, succeeded, failed, unknown } = records;
  return { total, written: succeeded, failed: failed + unknown, phase: phaseOf(course) };
}

function phaseOf({ phase, batch, nextAttemptTime }: Omit<OperationProgress, 'records'>): string {
  if (phase === 'ended') return 'ended';
  if (phase === 'accumulating') return `collecting, leaves at ${timeOf(batch?.dueTime ?? '')}`;
  return nextAttemptTime === undefined ? 'sending' : `is tried again at ${timeOf(nextAttemptTime)}`;
}

function timeOf(moment: string): string {
  return plain(clockTime(moment, new Date().toISOString()).replace(/\.\d+$/, ''));
}
