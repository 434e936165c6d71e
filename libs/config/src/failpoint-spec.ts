import { broken, parsed, type Parsed } from './parsed';

/** Places where a test may break a service. Source: reference/reliability, section 3. */
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
