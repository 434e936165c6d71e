import { fillBacklog, until } from '@sluice/testkit';
import { createFixture, type Fixture, type RunningBatcher } from './_batcher';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.close());

async function read(batcher: RunningBatcher, series: string): Promise<number | undefined> {
  const { body } = await batcher.context.metrics.expose();
  const escaped = series.replaceAll(/[{}]/g, '\\$&').replace('\\}', ',service="batcher"\\}');
  const value = new RegExp(`^${escaped} (\\S+)$`, 'm').exec(body)?.[1];
  return value === undefined ? undefined : Number(value);
}

describe('what the batcher shows of the backlog', () => {
  it('is how old it is, in how many lanes, and when it was looked at', async () => {
    await fillBacklog(fixture.url, fixture.seed, { calls: 3_000, lanes: 1_500 });
    await fixture.database.raw(`update calls set not_before = now() - interval '70 seconds'`);
    await fixture.database.raw(`update lanes set blocked_until = now() + interval '1 hour'
      where id in (select id from lanes order by id desc limit 100)`);
    const batcher = await fixture.startBatcher();
    const beforeMs = Date.now();
    // More lanes than one statement reads: the first value that it shows is that of the whole pass.
    await until('a sample', () =>
      read(batcher, 'sluice_waiting_lanes{state="ready"}').then((n) => (n ? n : undefined)),
    );
    expect(await read(batcher, 'sluice_waiting_lanes{state="ready"}')).toBe(1_400);
    expect(await read(batcher, 'sluice_waiting_lanes{state="blocked"}')).toBe(100);
    expect((await read(batcher, 'sluice_oldest_ready_seconds{lane="idle"}')) ?? 0).toBeGreaterThan(69);
    expect(await read(batcher, 'sluice_oldest_ready_seconds{lane="working"}')).toBe(0);
    const { body } = await batcher.context.metrics.expose();
    expect(body).toContain('sluice_quarantined_calls{service="batcher"} 0');
    const sampledAt = Number(/^sluice_backlog_sampled_timestamp_seconds\{.*\} (\S+)$/m.exec(body)?.[1]);
    expect(sampledAt * 1_000).toBeGreaterThanOrEqual(beforeMs - 5_000);
    await batcher.stop();
  });

  it('waits while the database does not answer, and the batcher stops all the same', async () => {
    const writes = { ...fixture.store.writes, sampleLanes: () => Promise.reject(new Error('away')) };
    const store = { ...fixture.store, writes, close: () => Promise.resolve() };
    const batcher = await fixture.startBatcher({}, { store });
    await batcher.stop();
    const { body } = await batcher.context.metrics.expose();
    expect(body).toContain('# TYPE sluice_oldest_ready_seconds gauge');
    expect(body).not.toMatch(/^sluice_oldest_ready_seconds\{/m);
  });
});
