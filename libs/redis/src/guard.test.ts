import { createMetrics, silentLogger } from '@sluice/telemetry';
import { eventually } from '../test/conformance';
import { Guard } from './guard';

function guard(options: { timeoutMs?: number; openMs?: number } = {}) {
  const failures = createMetrics('guard').counter('sluice_redis_failures_total');
  return new Guard({ logger: silentLogger, failures, ...options });
}

const silence = () => new Promise<never>(() => undefined);
const broken = () => Promise.reject(new Error('connect ECONNREFUSED'));
const refused = () => Promise.reject(Object.assign(new Error('OOM command not allowed'), { name: 'ReplyError' }));

describe('Guard', () => {
  it('returns a reply', async () => {
    expect(await guard().send(async () => 7)).toEqual({ ok: true, value: 7 });
  });

  it('waits 50 ms for a reply', async () => {
    const begunAtMs = performance.now();
    expect(await guard().send(silence)).toEqual({ ok: false });
    expect(performance.now() - begunAtMs).toBeGreaterThanOrEqual(49);
  });

  it.each([
    ['a timeout', silence],
    ['a broken connection', broken],
  ])('sends nothing for a while after %s, then one command at a time', async (_, failure) => {
    let sent = 0;
    const command = () => ((sent += 1), silence());
    const closed = guard({ timeoutMs: 5, openMs: 60_000 });
    await closed.send(failure);
    await Promise.all([closed.send(command), closed.send(command)]);
    expect(sent).toBe(0);
    const over = guard({ timeoutMs: 5, openMs: 20 });
    await over.send(failure);
    const failedMs = performance.now();
    await eventually(() => performance.now() - failedMs > 30);
    await Promise.all([over.send(command), over.send(command), over.send(command)]);
    expect(sent).toBe(1);
  });

  it('goes on after a reply', async () => {
    const sut = guard({ openMs: 20 });
    await sut.send(broken);
    await eventually(async () => (await sut.send(async () => 7)).ok);
    expect((await sut.send(async () => 8)).ok).toBe(true);
  });

  it('goes on after an error reply', async () => {
    const sut = guard();
    expect(await sut.send(refused)).toEqual({ ok: false });
    expect((await sut.send(async () => 7)).ok).toBe(true);
  });

  it('goes on at once when Redis is known to be back', async () => {
    const sut = guard({ openMs: 60_000 });
    await sut.send(broken);
    sut.reset();
    expect((await sut.send(async () => 7)).ok).toBe(true);
  });

  it('waits no longer when the connection is lost', async () => {
    const sut = guard({ timeoutMs: 60_000 });
    const replies = [sut.send(silence), sut.send(silence)];
    sut.connectionLost();
    expect(await Promise.all(replies)).toEqual([{ ok: false }, { ok: false }]);
  });

  it('takes a reply that arrived while this process was paused', async () => {
    const sut = guard({ timeoutMs: 5 });
    const reply = sut.send(() => new Promise((resolve) => setImmediate(() => resolve(7))));
    const until = performance.now() + 30;
    while (performance.now() < until);
    expect(await reply).toEqual({ ok: true, value: 7 });
  });
});
