import type { Operation, OperationRecord } from '@sluice/types';
import type { GivenOptions } from '../command';
import { CommandFailure, exitCodes } from '../failure';
import { print } from '../output/print';
import { createProgress, type Standing } from '../output/progress';
import { connect, type Management } from '../profiles/connect';

interface WatchOptions extends GivenOptions {
  readonly timeout?: string;
}

/** `sluice op watch <id>`: progress until the operation ends; the exit code says how. With `--json` the operation at its end. */
export async function run([operationId = '']: readonly string[], options: WatchOptions): Promise<number> {
  const untilMs = performance.now() + readTimeoutMs(options.timeout);
  const { management } = await connect(options);
  const progress = options.json === true ? undefined : createProgress(process.stdout);
  try {
    let operation = await management.getOperation({ operationId });
    for (;;) {
      progress?.show(await standingOf(management, operation));
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
    print(given, operation, () => `${operation.status}: ${operation.result ?? 'ended'}`);
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

async function standingOf(management: Management, { id: operationId, status }: Operation): Promise<Standing> {
  const { records, calls, batch } = await management.explainOperation({ operationId });
  const count = (...wanted: OperationRecord['status'][]) =>
    records.filter((each) => wanted.includes(each.status)).length;
  const isCollecting = batch !== undefined && calls.length === 0 && status === 'in_progress';
  const waits = calls.flatMap(({ notBefore }) => notBefore ?? []).toSorted();
  return {
    total: records.length,
    written: count('succeeded'),
    failed: count('failed', 'unknown'),
    phase: phaseOf({ isCollecting, dueAt: batch?.dueAt, waitsUntil: waits[0], isOver: status !== 'in_progress' }),
  };
}

interface Facts {
  readonly isCollecting: boolean;
  readonly dueAt: string | undefined;
  readonly waitsUntil: string | undefined;
  readonly isOver: boolean;
}

function phaseOf({ isCollecting, dueAt, waitsUntil, isOver }: Facts): string {
  if (isOver) return 'ended';
  if (isCollecting) return `collecting, leaves at ${dueAt?.slice(11, 19)}`;
  return waitsUntil === undefined ? 'sending' : `is tried again at ${waitsUntil.slice(11, 19)}`;
}
