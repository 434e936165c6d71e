import type { Waiting } from '@sluice/store';
import type { Logger } from '@sluice/telemetry';

/** Logs one line when the backlog of a group begins to grow, and one when it no longer does. Decides by the counts that are made anyway. */
export interface BacklogWatch {
  /** What waits of a group, as it was counted now. */
  counted(projectId: string, groupRef: string, waiting: Waiting): void;
  /** The group has written nothing for a while, and is counted no more. */
  forget(projectId: string, groupRef: string): void;
}

/** Fewer are written within a minute by any account: no person need know of them. Our choice. */
const writesMin = 1_000;
/** A peak of a minute is no growth: it must rise so many times in a row. */
const stepMs = 60_000;
const risesMin = 3;
/** It shrinks when so little is left of the most that waited. */
const shrunkShare = 0.5;

interface Growth {
  /** At the last step. */
  writes: number;
  steppedAtMs: number;
  rises: number;
  /** The most that waited since it began to grow. Absent: it does not. */
  peak?: number;
  readonly firstAtMs: number;
  readonly since: string;
}

/** @param now monotonic milliseconds. @default performance.now */
export function createBacklogWatch(logger: Logger, now = () => performance.now()): BacklogWatch {
  // Only groups with a large backlog, of those that the admission counts.
  const growths = new Map<string, Growth>();
  const keyOf = (projectId: string, groupRef: string) => JSON.stringify([projectId, groupRef]);
  const end = (projectId: string, groupRef: string, waiting: Waiting | undefined): void => {
    const key = keyOf(projectId, groupRef);
    const growth = growths.get(key);
    growths.delete(key);
    if (growth?.peak === undefined) return;
    const seconds = Math.round((now() - growth.firstAtMs) / 1_000);
    const left = waiting && { count: waiting.writes, bytes: waiting.bytes };
    logger.warn({ projectId, groupRef, ...left, peak: growth.peak, since: growth.since, seconds }, 'backlog.shrinking');
  };
  return {
    counted: (projectId, groupRef, waiting) => {
      const { writes, bytes } = waiting;
      const key = keyOf(projectId, groupRef);
      const growth = growths.get(key);
      if (growth === undefined) {
        const [firstAtMs, since] = [now(), new Date().toISOString()];
        if (writes >= writesMin) growths.set(key, { writes, steppedAtMs: firstAtMs, rises: 0, firstAtMs, since });
        return;
      }
      if (growth.peak !== undefined) growth.peak = Math.max(growth.peak, writes);
      if (writes < writesMin || (growth.peak !== undefined && writes <= growth.peak * shrunkShare)) {
        return end(projectId, groupRef, waiting);
      }
      if (growth.peak !== undefined || now() - growth.steppedAtMs < stepMs) return;
      growth.rises = writes > growth.writes ? growth.rises + 1 : 0;
      growth.writes = writes;
      growth.steppedAtMs = now();
      if (growth.rises < risesMin) return;
      growth.peak = writes;
      const reason = `more is accepted than written, for ${(risesMin * stepMs) / 60_000} minutes`;
      logger.warn({ projectId, groupRef, reason, count: writes, bytes, since: growth.since }, 'backlog.growing');
    },
    forget: (projectId, groupRef) => end(projectId, groupRef, undefined),
  };
}
