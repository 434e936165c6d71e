import type { Operation, OperationProgress } from '@sluice/types';
import { CommandFailure, exitCodes } from '../failure';
import { clockTime, plain, print } from '../output/print';
import { createProgress, type Standing } from '../output/progress';
import { connect, type GivenOptions } from '../profiles/connect';

interface WatchOptions extends GivenOptions {
  readonly timeout?: string;
}

/** `sluice op watch <id>`: progress until the operation ends; the exit code is its result. With `--json` the ended operation. */
export async function run([operationId = '']: readonly string[], options: WatchOptions): Promise<number> {
  const untilMs = performance.now() + readTimeoutMs(options.timeout);
  const { management } = await connect(options);
  const progress = options.json === true ? undefined : createProgress(process.stdout);
  try {
    let operation = await management.getOperation({ operationId });
    for (;;) {
      // Counts only, however many records there are: an explanation is asked for by `op explain`.
      progress?.show(standingOf(await management.getOperationProgress({ operationId })));
      if (operation.status !== 'in_progress') return ended(options, operation);
      if (performance.now() >= untilMs) return stillRunning(options, operation);
      // The server answers at the end at once; else the second is the pace of the bar.
      operation = await management.getOperation({ operationId, waitSeconds: 1 });
    }
  } finally {
    progress?.end();
  }

  function ended(given: WatchOptions, operation: Operation): number {
    progress?.end();
    // A result repeats the provider's words.
    print(given, operation, () => plain(`${operation.status}: ${operation.result ?? 'ended'}`));
    return operation.status === 'success' ? exitCodes.done : exitCodes.operationFailed;
  }

  function stillRunning(given: WatchOptions, operation: Operation): number {
    progress?.end();
    print(given, operation, () => `in_progress: it goes on. Follow it: sluice op watch ${operation.id}`);
    return exitCodes.stillRunning;
  }
}

function readTimeoutMs(text: string | undefined): number {
  const seconds = text === undefined ? Infinity : Number(text);
  if (seconds >= 0) return seconds * 1_000;
  throw new CommandFailure(`--timeout is "${text}" and must be a number of seconds.`, exitCodes.usage);
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
