import { setTimeout as wait } from 'node:timers/promises';
import { DependencyError } from '@sluice/errors';
import { ConfigError } from './config-error';
import { parseFailpoints, type Failpoint, type FailpointName } from './failpoint-spec';

/** Breaks the process on purpose, for tests of crashes. */
export interface Failpoints {
  /** Does what the spec says for this place; resolves at once when it says nothing. */
  hit(name: FailpointName): Promise<void>;
}

/** What a failpoint acts on; replaced in tests. */
export interface FailpointEffects {
  /** From 0 up to 1. */
  random(): number;
  /** Ends the process without any clean-up. */
  kill(): void;
  sleep(ms: number): Promise<void>;
  /** Called before the place acts, for a test that waits for it. */
  tell(point: Failpoint): void;
}

const effects: FailpointEffects = {
  random: Math.random,
  kill: () => process.kill(process.pid, 'SIGKILL'),
  sleep: async (ms) => {
    await wait(ms);
  },
  tell: ({ name, action }) =>
    void process.stderr.write(`${JSON.stringify({ event: 'failpoint.met', name, action })}\n`),
};

const done = Promise.resolve();
const inert: Failpoints = { hit: () => done };

/**
 * Failpoints of a spec `name:action:probability[,…]`; without a spec a no-op that costs nothing.
 * Whether a spec is allowed at all (never in production) is checked where the environment is read.
 * @throws ConfigError when the spec is not valid
 */
export function createFailpoints(spec: string | undefined, on: FailpointEffects = effects): Failpoints {
  if (spec === undefined) return inert;
  const points = parseFailpoints(spec);
  if (!points.ok) throw new ConfigError([{ name: 'SLUICE_FAILPOINT', rule: points.rule, value: spec }]);
  const byName = Map.groupBy(points.value, (point) => point.name);
  return {
    hit: async (name) => {
      for (const point of byName.get(name) ?? []) await act(point, on);
    },
  };
}

async function act(point: Failpoint, on: FailpointEffects): Promise<void> {
  if (on.random() >= point.probability) return;
  on.tell(point);
  if (point.action === 'sleep') return on.sleep(point.sleepMs);
  if (point.action === 'throw') {
    throw new DependencyError({ code: 'service.unavailable', detail: `failpoint ${point.name}` });
  }
  if (point.sleepMs > 0) await on.sleep(point.sleepMs);
  on.kill();
  // The signal arrives a moment later; until then nothing may go on.
  return new Promise(() => undefined);
}
