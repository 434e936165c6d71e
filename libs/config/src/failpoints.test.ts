import { DependencyError } from '@sluice/errors';
import { ConfigError } from './config-error';
import { createFailpoints, type FailpointEffects } from './failpoints';

function effects(random = 0) {
  const [done, reported]: [string[], string[]] = [[], []];
  const on: FailpointEffects = {
    random: () => random,
    kill: () => void done.push('kill'),
    sleep: (ms) => Promise.resolve(void done.push(`sleep ${ms}`)),
    report: ({ name }) => void reported.push(name),
  };
  return { on, done, reported };
}

describe('createFailpoints', () => {
  it('does nothing without a spec', async () => {
    const points = createFailpoints(undefined);
    expect(points.hit('ex.after_claim')).toBe(points.hit('gw.after_commit'));
    await expect(points.hit('ex.after_claim')).resolves.toBeUndefined();
  });

  it('throws a DependencyError at its point and nowhere else', async () => {
    const points = createFailpoints('ex.after_claim:throw:1', effects().on);
    await expect(points.hit('ex.after_intent')).resolves.toBeUndefined();
    await expect(points.hit('ex.after_claim')).rejects.toThrow(DependencyError);
  });

  it('sleeps one and a half leases, or the time it is given', async () => {
    const { on, done, reported } = effects();
    const points = createFailpoints('gw.after_commit:sleep:1,gw.before_reply:sleep=20:1', on);
    await points.hit('gw.after_commit');
    await points.hit('gw.before_reply');
    expect(done).toEqual(['sleep 9000', 'sleep 20']);
    // A test stops the process in its sleep, and must know when that has begun.
    expect(reported).toEqual(['gw.after_commit', 'gw.before_reply']);
  });

  // What follows the failpoint must not run in the moment before the signal arrives.
  it('kills and never returns', async () => {
    const { on, done } = effects();
    const hit = createFailpoints('bt.after_seal:exit9', on).hit('bt.after_seal');
    const first = await Promise.race([
      hit.then(() => 'returned'),
      new Promise((resolve) => setImmediate(resolve, 'pending')),
    ]);
    expect(first).toBe('pending');
    expect(done).toEqual(['kill']);
  });

  it('kills after the time it is given, for what has just been sent to arrive', async () => {
    const { on, done } = effects();
    void createFailpoints('ex.after_send_before_reply:exit9=8', on).hit('ex.after_send_before_reply');
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual(['sleep 8', 'kill']);
  });

  it('keeps to the probability', async () => {
    const at = (random: number) =>
      createFailpoints('ex.after_claim:throw:0.5', effects(random).on).hit('ex.after_claim');
    await expect(at(0.49)).rejects.toThrow(DependencyError);
    await expect(at(0.5)).resolves.toBeUndefined();
  });

  it.each([
    'x',
    'nowhere:throw:1',
    'ex.after_claim:explode:1',
    'ex.after_claim:throw:0',
    'ex.after_claim:throw:1.1',
    '',
  ])('refuses %j', (spec) => {
    expect(() => createFailpoints(spec)).toThrow(ConfigError);
  });
});
