import { setTimeout as wait } from 'node:timers/promises';
import { DependencyError } from '@sluice/errors';
import { broken, ConfigError, parsed, type Parsed } from './config-error';

/** Points at which a test may break a service. Source: reference/reliability, section 3. */
export const failpointNames = [
  'gw.after_commit',
  'gw.before_reply',
  'pub.before_send',
  'pub.after_send',
  'bt.after_seal',
  'ex.after_claim',
  'ex.after_intent',
  'ex.after_send_before_reply',
  'ex.after_reply_before_finish',
  'ex.after_finish',
  'oauth.after_reply_before_save',
  'st.after_whole',
  'st.after_join_round',
  'st.after_end_round',
  'st.after_erase_step',
] as const;
export type FailpointName = (typeof failpointNames)[number];

/** `exit9` kills the process as `kill -9` does, after `sleepMs` if a time was given; `sleep` waits; `throw` throws a DependencyError. */
export interface Failpoint {
  readonly name: FailpointName;
  readonly action: 'exit9' | 'sleep' | 'throw';
  /** Milliseconds. @default for `sleep` 9000, 1.5 times the lease, so that a sleeper loses its fence; for `exit9` 0 */
  readonly sleepMs: number;
  /** Above 0, at most 1. @default 1 */
  readonly probability: number;
}

/** Breaks the process on purpose, for tests of crashes. */
export interface Failpoints {
  /** Does what the spec sets for this point; resolves at once when it sets nothing. */
  hit(name: FailpointName): Promise<void>;
}

/** What a failpoint acts on; replaced in tests. */
export interface FailpointEffects {
  /** From 0 up to 1. */
  random(): number;
  /** Ends the process without any clean-up. */
  kill(): void;
  sleep(ms: number): Promise<void>;
  /** Called before the point acts, for a test that waits for it. */
  report(point: Failpoint): void;
}

const effects: FailpointEffects = {
  random: Math.random,
  kill: () => process.kill(process.pid, 'SIGKILL'),
  sleep: async (ms) => {
    await wait(ms);
  },
  report: ({ name, action }) =>
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
  on.report(point);
  if (point.action === 'sleep') return on.sleep(point.sleepMs);
  if (point.action === 'throw') {
    throw new DependencyError({ code: 'service.unavailable', detail: `failpoint ${point.name}` });
  }
  if (point.sleepMs > 0) await on.sleep(point.sleepMs);
  on.kill();
  // The signal arrives a moment later; until then nothing may go on.
  return new Promise(() => undefined);
}

const form = /^(?<name>[\w.]+):(?<action>throw|(exit9|sleep)(=(?<ms>\d{1,6}))?)(:(?<probability>\d(\.\d+)?))?$/;

/** Reads `name:action:probability[,…]`; `sleep` and `exit9` may carry a time: `ex.after_claim:sleep=2000:0.5`. */
export function parseFailpoints(text: string): Parsed<readonly Failpoint[]> {
  const points: Failpoint[] = [];
  for (const entry of text.split(',')) {
    const groups = form.exec(entry.trim())?.groups;
    const name = failpointNames.find((known) => known === groups?.['name']);
    const probability = Number(groups?.['probability'] ?? 1);
    if (!groups || probability <= 0 || probability > 1) {
      return broken(
        'must be name:action:probability with action exit9, sleep or throw and probability above 0, at most 1',
      );
    }
    if (!name) return broken(`must name one of ${failpointNames.join(', ')}`);
    const action = groups['action']?.startsWith('sleep') ? 'sleep' : groups['action'] === 'throw' ? 'throw' : 'exit9';
    points.push({ name, action, sleepMs: Number(groups['ms'] ?? (action === 'sleep' ? 9000 : 0)), probability });
  }
  return parsed(points);
}
