import { useWriteFixture } from './write-fixture';

const fixture = useWriteFixture();

const accept = () => fixture.store.writes.accept([fixture.asynchronous()]);
const wait = (seconds: number) =>
  fixture.database.raw('update calls set not_before = now() - make_interval(secs => ?)', [seconds]);
const sample = async () => (await fixture.store.writes.sampleLanes({ limit: 100 })).found;

describe('a sample of the lanes in which calls wait', () => {
  it('has none when nothing waits', async () => {
    expect(await fixture.store.writes.sampleLanes({ limit: 100 })).toEqual({ found: [] });
  });

  it('shows since when the oldest call could be claimed, and whether the lane works', async () => {
    await accept();
    await wait(90);
    await accept();
    const [idle] = await sample();
    expect(idle).toMatchObject({ isBlocked: false, isWorking: false });
    expect((idle?.oldestMs ?? 0) / 1_000).toBeCloseTo(90, -1);
    await fixture.claim({ limit: 1 });
    const [working] = await sample();
    expect(working?.isWorking).toBe(true);
    expect(working?.oldestMs).toBeLessThan(60_000);
  });

  it('takes a call before its moment for held, and so what a refused connection holds back', async () => {
    await accept();
    await wait(-60);
    expect(await sample()).toEqual([{ isBlocked: false, isWorking: false }]);
    await wait(60);
    await fixture.database('connections').update({ status: 'bad_credentials' });
    expect(await sample()).toEqual([{ isBlocked: false, isWorking: false }]);
  });

  it('knows a blocked lane, whatever waits in it', async () => {
    await accept();
    await fixture.store.writes.blockLane(fixture.lane, 60_000, 'too many requests');
    expect(await sample()).toEqual([{ isBlocked: true, isWorking: false }]);
  });

  it('continues where it ended', async () => {
    await accept();
    const first = await fixture.store.writes.sampleLanes({ limit: 1 });
    expect(first).toMatchObject({ found: [{ isBlocked: false }], next: fixture.lane });
    expect(await fixture.store.writes.sampleLanes({ limit: 1, after: fixture.lane })).toEqual({ found: [] });
  });
});

it('calls quarantined within the last hour are counted, older ones are not', async () => {
  const row = { project_id: 'p', operation_id: 'o', reason: 'r', replay_command: 'c' };
  await fixture.database('quarantine').insert([
    { ...row, call_number: 1 },
    { ...row, call_number: 2, created_at: fixture.database.raw(`now() - interval '2 hours'`) },
  ]);
  expect(await fixture.store.writes.countQuarantined()).toBe(1);
});
