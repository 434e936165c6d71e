import { RateLimitedError } from '@sluice/errors';
import type { Store } from '@sluice/store';
import type { Logger, Metrics } from '@sluice/telemetry';

/** What keeps one project's backlog from filling the database of all. Source: reliability notes 2.28. */
export interface Admission {
  /**
   * Takes room for calls, or records of an auto-batch, that are about to be accepted. In memory, without a look at the database.
   * @throws RateLimitedError `write.backlog-full`
   */
  assertRoom(projectId: string, size: number): void;
  /** Counts no more, after the count in hand. */
  stop(): Promise<void>;
}

export interface AdmissionOptions {
  readonly writes: Pick<Store['writes'], 'countBacklog'>;
  /** Waiting calls and records of open auto-batches of one project at most. A call has at most 100 records. */
  readonly backlogMax: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** How often the backlog is counted. Source: reliability notes 2.28. */
const countEveryMs = 2_000;
/** A long count is rare: counting takes at most a twentieth of one database connection's time. */
const restPerCount = 20;
/** A project that nobody has written to for this long, and that has room, is forgotten. */
const idleMs = 60_000;
/** When a refused caller may come again: a full backlog takes minutes, and a few counts, to shrink. */
const retryAfterMs = 10_000;

interface Backlog {
  /** At the last count. */
  counted: number;
  /** What this process has let in since then. None is taken off before the next count. */
  since: number;
  askedAtMs: number;
}

/**
 * Caps what waits of a project. Each process counts for itself, only projects that are written to, and adds what it lets in between two
 * counts. So the cap is passed by no more than other processes accept within one count's time, and what is committed while a count is
 * made. A project is let in until its first count, and while the database does not answer the last count holds.
 */
export function createAdmission({ writes, backlogMax, logger, metrics }: AdmissionOptions): Admission {
  const refusals = metrics.counter('sluice_admission_refusals_total');
  const backlogs = new Map<string, Backlog>();
  let isStopped = false;
  let counting: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;

  const count = async (): Promise<void> => {
    forgetIdle(backlogs, backlogMax);
    const before = new Map([...backlogs].map(([id, { since }]) => [id, since]));
    const counts = await writes.countBacklog([...before.keys()], backlogMax);
    for (const [id, counted] of counts) {
      const backlog = backlogs.get(id);
      if (backlog === undefined) continue;
      if (counted >= backlogMax && backlog.counted < backlogMax)
        logger.warn({ projectId: id, counted }, 'backlog.full');
      // What was let in during the count may or may not be in it: it is kept.
      Object.assign(backlog, { counted, since: backlog.since - (before.get(id) ?? 0) });
    }
  };
  const countAndRest = async (): Promise<void> => {
    const startedAtMs = performance.now();
    await count().catch((error: unknown) => logger.warn({ error }, 'backlog.not-counted'));
    const restMs = restPerCount * (performance.now() - startedAtMs);
    if (!isStopped) countAgainIn(Math.max(countEveryMs, restMs));
  };
  const countAgainIn = (ms: number): void => {
    timer = setTimeout(() => void (counting = countAndRest()), ms).unref();
  };
  countAgainIn(countEveryMs);
  return {
    assertRoom: (projectId, size) => {
      const backlog = backlogs.get(projectId) ?? { counted: 0, since: 0, askedAtMs: 0 };
      backlogs.set(projectId, backlog);
      backlog.askedAtMs = performance.now();
      if (backlog.counted + backlog.since + size > backlogMax) {
        refusals.inc();
        throw full(backlogMax);
      }
      backlog.since += size;
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await counting;
    },
  };
}

function forgetIdle(backlogs: Map<string, Backlog>, backlogMax: number): void {
  const idleSinceMs = performance.now() - idleMs;
  for (const [id, { askedAtMs, counted }] of backlogs) {
    if (askedAtMs < idleSinceMs && counted < backlogMax) backlogs.delete(id);
  }
}

function full(backlogMax: number): RateLimitedError {
  const detail = `About ${backlogMax} writes of the project wait, and no more may. Nothing was accepted.`;
  return new RateLimitedError({ code: 'write.backlog-full', detail, retryAfterMs });
}
