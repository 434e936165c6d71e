import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@sluice/telemetry';
import { mayPass, toStartError } from './start-error';

export interface Patience {
  /** `postgres://…`. Secret: the error names its server and database only. */
  readonly url: string;
  /** How long a database that cannot be used for the moment is asked again. 0 asks once. */
  readonly waitMs: number;
  readonly logger?: Logger | undefined;
}

/** Between two tries. A try of its own waits up to 2 s for a connection (`openDatabase`). */
const restMs = 500;

/**
 * Does the first work of a process on its database; again and again while the database is busy, starting, or not to be reached. A node
 * that starts many processes at once, and a database that restarts, are no reason to give up. What no waiting heals fails at once: a refused
 * login, a database that is not there, a schema that lacks a step.
 * @throws DependencyError with the last reason, and how long it was tried
 */
export async function awaitDatabase<T>(work: () => Promise<T>, { url, waitMs, logger }: Patience): Promise<T> {
  const begunAtMs = performance.now();
  for (let told = ''; ;) {
    try {
      return await work();
    } catch (error) {
      const triedMs = performance.now() - begunAtMs;
      if (!mayPass(error) || triedMs >= waitMs) throw toStartError(error, url, told === '' ? 0 : triedMs);
      const { detail } = toStartError(error, url);
      // Once for each reason: half a minute of tries says nothing more.
      if (detail !== told) logger?.warn({ reason: detail, waitMs }, 'database.awaited');
      told = detail;
      await sleep(restMs);
    }
  }
}
