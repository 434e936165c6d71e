import { setTimeout as sleep } from 'node:timers/promises';
import { SluiceError } from '@sluice/errors';
import type { DeadService, Log, Stack } from '@sluice/stack';

/** Pause before the first start again; each death of the same part within `shortMs` doubles it. */
const firstPauseMs = 500;
/** So many deaths of one part within `shortMs` are no accident: the next start would end the same way. */
const deathsMax = 5;
const shortMs = 5 * 60_000;
/** Between two looks at Postgres, Redis and Kafka, which may be processes of an earlier launcher that nothing reports. */
const everyMs = 500;

/** A part of a launcher that ended by itself. */
export interface Death {
  readonly name: string;
  /** `exit code 1`, `SIGKILL`. */
  readonly how: string;
  /** The path and the last lines of its log. */
  readonly logTail: string;
  /** Starts it again and waits until it is ready. @returns false when it was stopped on purpose meanwhile */
  readonly restart: () => Promise<boolean>;
}

/** Says when a part of a launcher dies, and starts it again until it is stopped. */
export interface Supervisor {
  /** @returns whether the part runs again */
  readonly report: (death: Death) => Promise<boolean>;
  /** Has the services of a stack started again. */
  readonly watch: (stack: Pick<Stack, 'findDead' | 'restart'>) => void;
  /** From now on nothing is reported or started. */
  readonly stop: () => void;
}

/** @param pauseMs before the first start again, in milliseconds. @default 500 */
export function createSupervisor(log: Log, pauseMs = firstPauseMs): Supervisor {
  const stopping = new AbortController();
  const { signal } = stopping;
  const deaths = new Map<string, readonly number[]>();

  const countDeath = (name: string): number => {
    const nowMs = performance.now();
    const recent = [...(deaths.get(name) ?? []), nowMs].filter((atMs) => nowMs - atMs < shortMs);
    deaths.set(name, recent);
    return recent.length;
  };
  const report = async ({ name, how, logTail, restart }: Death): Promise<boolean> => {
    for (let [ending, more] = [how, logTail]; !signal.aborted;) {
      log(`${name}: died (${ending})${more === '' ? '' : `\n${more}`}`);
      const count = countDeath(name);
      if (count >= deathsMax) {
        const advice = 'Mend the cause, stop this launcher, and start it again.';
        log(`${name}: died ${count} times within ${shortMs / 60_000} minutes and stays down. ${advice}`);
        return false;
      }
      const waitMs = pauseMs * 2 ** (count - 1);
      log(`${name}: is started again in ${waitMs / 1000} s`);
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return false;
      try {
        const isBack = await restart();
        if (!signal.aborted) log(`${name}: ${isBack ? 'runs again' : 'was stopped, so it stays down'}`);
        return isBack;
      } catch (error) {
        [ending, more] = ['at its start', explain(error)];
      }
    }
    return false;
  };
  const watch: Supervisor['watch'] = ({ findDead, restart }) => {
    const attended = new Set<string>();
    const attend = async (dead: DeadService): Promise<void> => {
      attended.add(dead.name);
      const isBack = await report({ ...dead, restart: () => restart(dead.name) });
      if (isBack) attended.delete(dead.name);
    };
    void (async () => {
      while (!signal.aborted) {
        for (const dead of await findDead().catch(() => [])) {
          if (!attended.has(dead.name) && !signal.aborted) void attend(dead);
        }
        await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    })();
  };
  return { report, watch, stop: () => stopping.abort() };
}

function explain(error: unknown): string {
  if (error instanceof SluiceError) return [error.detail, error.remedy ?? ''].join('\n').trimEnd();
  return error instanceof Error ? error.message : String(error);
}
