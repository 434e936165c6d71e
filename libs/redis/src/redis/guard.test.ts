import { createMetrics, silentLogger } from '@sluice/telemetry';
import { eventually } from '../conformance';
import { Guard } from './guard';

function guard(options: { timeoutMs?: number; openMs?: number } = {}) {
  const failures = createMetrics('guard').counter('sluice_redis_failures_total');
  return new Guard({ logger: silentLogger, failures, ...options });
}

const silence = () => new Promise<never>(() => undefined);
const broken = () => Promise.reject(new Error('connect ECONNREFUSED'));
const refused = () => Promise.reject(Object.assign(new Error('OOM command not allowed'), { name: 'ReplyError' }));

describe('Guard', () => {
  it('passes an answer on', async () => {
    expect(await guard().ask(async () => 7)).toEqual({ ok: true, value: 7 });
  });

  it('waits 50 ms for an answer', async () => {
    const begunAtMs = performance.now();
    expect(await guard().ask(silence)).toEqual({ ok: false });
    expect(performance.now() - begunAtMs).toBeGreaterThanOrEqual(49);
  });

  it.each([
    ['a silence', silence],
    ['a broken connection', broken],
  ])('asks nothing for a while after %s, then one question at a time', async (_, failure) => {
    let asked = 0;
    const question = () => ((asked += 1), silence());
    const closed = guard({ timeoutMs: 5, openMs: 60_000 });
    await closed.ask(failure);
    await Promise.all([closed.ask(question), closed.ask(question)]);
    expect(asked).toBe(0);
    const over = guard({ timeoutMs: 5, openMs: 20 });
    await over.ask(failure);
    const failedMs = performance.now();
    await eventually(() => performance.now() - failedMs > 30);
    await Promise.all([over.ask(question), over.ask(question), over.ask(question)]);
    expect(asked).toBe(1);
  });

  it('asks on after an answer', async () => {
    const sut = guard({ openMs: 20 });
    await sut.ask(broken);
    await eventually(async () => (await sut.ask(async () => 7)).ok);
    expect((await sut.ask(async () => 8)).ok).toBe(true);
  });

  it('asks on after an error that Redis replied with', async () => {
    const sut = guard();
    expect(await sut.ask(refused)).toEqual({ ok: false });
    expect((await sut.ask(async () => 7)).ok).toBe(true);
  });

  it('asks on at once when Redis is known to be back', async () => {
    const sut = guard({ openMs: 60_000 });
    await sut.ask(broken);
    sut.reset();
    expect((await sut.ask(async () => 7)).ok).toBe(true);
  });

  it('waits no longer when the connection is lost', async () => {
    const sut = guard({ timeoutMs: 60_000 });
    const answers = [sut.ask(silence), sut.ask(silence)];
    sut.connectionLost();
    expect(await Promise.all(answers)).toEqual([{ ok: false }, { ok: false }]);
  });

  it('takes an answer that came while this process stood still', async () => {
    const sut = guard({ timeoutMs: 5 });
    const answer = sut.ask(() => new Promise((resolve) => setImmediate(() => resolve(7))));
    const until = performance.now() + 30;
    while (performance.now() < until);
    expect(await answer).toEqual({ ok: true, value: 7 });
  });
});
