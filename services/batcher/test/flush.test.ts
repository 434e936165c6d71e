import { until } from '@sluice/testkit';
import { DependencyError } from '@sluice/errors';
import { createFixture, type Fixture } from './_batcher';

let fixture: Fixture;
afterEach(() => fixture.close());

const hundred = Array.from({ length: 100 }, () => ({}));
const sweepsOff = { SLUICE_SWEEPS: 'off' };
const flushedState = (operationId: string, boundMs?: number) =>
  until(
    'the flush',
    async () =>
      (await fixture.stateOf(operationId)) === 'accumulating' ? undefined : await fixture.stateOf(operationId),
    boundMs,
  );

describe('by a message', () => {
  it('a full batch is flushed at once, long before it is due, and its call is announced [write.rule-3-executes]', async () => {
    fixture = await createFixture();
    const batcher = await fixture.startBatcher(sweepsOff);
    const joined = await fixture.join(hundred);
    const last = joined.at(-1);
    expect(last?.isFull).toBe(true);
    for (const each of joined) fixture.announce(each);
    const { operationId } = joined[0] as { operationId: string };
    expect(await flushedState(operationId)).toBe('queued');
    expect(await batcher.flushed('message')).toBe(1);
    const [announced] = await until('the announcement', () => (fixture.ready.length > 0 ? fixture.ready : undefined));
    expect(announced).toMatchObject({
      projectId: fixture.seed.projectId,
      operationId,
      installationId: fixture.seed.installationId,
      laneId: last?.write.operation.laneId,
      objectName: 'contacts',
      type: 'create',
      callNumber: 1,
      acceptedAt: expect.stringMatching(/Z$/),
      traceparent: last?.write.operation.traceparent,
    });
    expect(await fixture.callsOf(operationId)).toEqual([
      { number: 1, indexes: Array.from({ length: 100 }, (_, at) => at) },
    ]);
  });

  // The database is away for a moment: the message stays and is delivered again.
  it('a flush that fails is repeated until it succeeds', async () => {
    fixture = await createFixture();
    let failures = 3;
    const { store } = fixture;
    const seal: typeof store.writes.seal = (key, plan) => {
      if ((failures -= 1) < 0) return store.writes.seal(key, plan);
      throw new DependencyError({ code: 'service.unavailable', detail: 'away' });
    };
    const close = () => Promise.resolve();
    await fixture.startBatcher(sweepsOff, { store: { ...store, close, writes: { ...store.writes, seal } } });
    const joined = await fixture.join(hundred);
    for (const each of joined) fixture.announce(each);
    expect(await flushedState(joined[0]?.operationId ?? '')).toBe('queued');
    expect(failures).toBeLessThan(0);
  });
});

describe('by its time', () => {
  it('a batch that is due is flushed by its timer, and not before [write.rule-3-executes]', async () => {
    fixture = await createFixture(60);
    const batcher = await fixture.startBatcher(sweepsOff);
    const [joined] = await fixture.join([{ maxDelayMinutes: 1 }]);
    if (joined === undefined) throw new Error('nothing joined');
    fixture.announce(joined);
    await flushedState(joined.operationId);
    const [row] = await fixture
      .database('operations')
      .where({ id: joined.operationId })
      .select<{ late: number }[]>(fixture.database.raw('extract(epoch from updated_at - due_at)::float8 as late'));
    expect(row?.late).toBeGreaterThanOrEqual(0);
    expect(await batcher.flushed('timer')).toBe(1);
  });

  // The clock that decides is the database's: neither a forged message nor a wrong clock flushes early.
  it('[sec-13] a forged message flushes nothing before its time', async () => {
    fixture = await createFixture(60);
    const batcher = await fixture.startBatcher(sweepsOff);
    const [joined] = await fixture.join([{ maxDelayMinutes: 10 }]);
    const [full] = (await fixture.join(hundred.map(() => ({ recordId: '1' })))).slice(-1);
    if (joined === undefined || full === undefined) throw new Error('nothing joined');
    const past = new Date(0).toISOString();
    fixture.announce(joined, { isFull: true });
    fixture.announce(joined, { dueAt: past });
    fixture.announce(joined, { dueAt: 'tomorrow' });
    fixture.announce(joined, { operationId: full.operationId, projectId: 'somebody-else', isFull: true });
    fixture.announce(joined, { operationId: 'nothing', isFull: true });
    // A true message behind the forged ones in the same partition: when it is done, they are.
    fixture.announce(full, { type: 'create' });
    await flushedState(full.operationId);
    await until('the orphans', async () => ((await batcher.orphans()) === 2 ? true : undefined));
    expect(await fixture.stateOf(joined.operationId)).toBe('accumulating');
    expect(await batcher.flushed('message')).toBe(1);
    await flushedState(joined.operationId);
    const [row] = await fixture
      .database('operations')
      .where({ id: joined.operationId })
      .select(fixture.database.raw('updated_at >= due_at as in_time'));
    expect(row).toEqual({ in_time: true });
  });
});

describe('by the sweep', () => {
  it('what nobody announced: a full batch, and a due one', async () => {
    fixture = await createFixture(60);
    const joined = await fixture.join(Array.from({ length: 101 }, () => ({ maxDelayMinutes: 1 })));
    const batcher = await fixture.startBatcher();
    const [full, due] = [...new Set(joined.map(({ operationId }) => operationId))];
    await flushedState(full ?? '');
    await flushedState(due ?? '');
    // Counted after they are flushed.
    await until('both counted', async () => (await batcher.flushed('sweep')) === 2 || undefined);
    expect(
      await until('both announcements', () => (fixture.ready.length === 2 ? fixture.ready.length : undefined)),
    ).toBe(2);
  });

  it('a cancelled batch within a second, long before it is due, and its calls are announced', async () => {
    fixture = await createFixture();
    await fixture.startBatcher();
    const [first] = await fixture.join([{}, {}, {}]);
    if (first === undefined) throw new Error('nothing joined');
    fixture.announce(first);
    await fixture.store.operations.requestCancel(fixture.seed.projectId, first.operationId);
    expect(await flushedState(first.operationId, 1_500)).toBe('queued');
    expect(await fixture.callsOf(first.operationId)).toEqual([{ number: 1, indexes: [0, 1, 2] }]);
    await until('the announcement', () => fixture.ready.find(({ operationId }) => operationId === first.operationId));
  });
});

// As many as a sweep takes, all due before the one that can be flushed.
it('batches that cannot be flushed do not keep the sweep from the others', async () => {
  fixture = await createFixture(60);
  const [bad] = await fixture.join([{ maxDelayMinutes: 1 }]);
  const operations = () => fixture.database('operations');
  // Its count is wrong, so every seal of it rolls back; so are those of its copies.
  await fixture.database('open_batches').increment('records', 1);
  await fixture.database.raw(
    `insert into operations select (jsonb_populate_record(o, jsonb_build_object('id', 'copy-' || n, 'object_name', 'object-' || n))).*
     from operations o, generate_series(2, 200) n where o.id = ?`,
    [bad?.operationId ?? ''],
  );
  await fixture.database.raw(
    `insert into open_batches select (jsonb_populate_record(b, jsonb_build_object('operation_id', 'copy-' || n, 'object_name', 'object-' || n))).*
     from open_batches b, generate_series(2, 200) n`,
  );
  const [good] = await fixture.join([{ recordId: '1', maxDelayMinutes: 2 }]);
  await fixture.startBatcher();
  await flushedState(good?.operationId ?? '');
  expect(await operations().where({ state: 'accumulating' }).count('* as left').first()).toEqual({ left: '200' });
});

describe('stop', () => {
  it('flushes nothing more, and what is open stays for another batcher', async () => {
    fixture = await createFixture(60);
    const first = await fixture.startBatcher();
    const [joined] = await fixture.join([{ maxDelayMinutes: 8 }]);
    if (joined === undefined) throw new Error('nothing joined');
    fixture.announce(joined);
    await first.stop();
    const isDue = async () => ((await fixture.store.writes.findDueBatches(10)).length > 0 ? true : undefined);
    await until('the batch is due', isDue);
    expect(await fixture.stateOf(joined.operationId)).toBe('accumulating');
    await fixture.startBatcher();
    expect(await flushedState(joined.operationId)).toBe('queued');
  });
});
