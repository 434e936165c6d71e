import { unfinished, useWriteFixture, written } from './write-fixture';

const fixture = useWriteFixture();

/** Moves the outcomes of an operation this many days into the past. */
const age = async (operationId: string, days: number) => {
  const moment = fixture.database.raw(`now() - make_interval(days => ?::integer)`, [days]);
  await fixture.database('outcomes').where({ operation_id: operationId }).update({ ended_at: moment });
};
const plansOf = async (operationId: string) => {
  const rows = await fixture.database('records').where({ operation_id: operationId }).orderBy('record_index');
  return (rows as { plan: string | null }[]).map(({ plan }) => plan !== null);
};

describe('the retention time [sec-46]', () => {
  it('takes the plans of what ended before it, and nothing else of it', async () => {
    const old = fixture.asynchronous({ records: [{}, {}] });
    const young = fixture.asynchronous();
    await fixture.store.writes.accept([old, young]);
    for (const call of await fixture.claim()) await fixture.settleAll(call);
    await age(old.operation.id, 31);
    await age(young.operation.id, 29);
    const { projectId } = fixture.seeded;
    const before = await fixture.store.operations.listRecords(projectId, old.operation.id);
    expect(await fixture.store.writes.purgePlans(30, 100)).toBe(2);
    expect(await plansOf(old.operation.id)).toEqual([false, false]);
    expect(await plansOf(young.operation.id)).toEqual([true]);
    expect(await fixture.store.operations.listRecords(projectId, old.operation.id)).toEqual(before);
    expect(await fixture.store.operations.find(projectId, old.operation.id)).toMatchObject({ status: 'success' });
    expect(await fixture.store.writes.purgePlans(30, 100)).toBe(0);
  });

  it('takes what the provider said of a record with it', async () => {
    const write = await fixture.accept({ records: [{}, {}] });
    const problems = [{ field: 'email', providerField: 'email', code: 'INVALID', message: 'zoe@ is wrong' }];
    const failed = (index: number, more: object) =>
      ({ index, kind: 'failed', error: { class: 'rejected', text: 'said', ...more } }) as const;
    await fixture.settle(await fixture.claimOne(), [failed(0, { problems }), failed(1, {})]);
    const { projectId } = fixture.seeded;
    const problemsOf = async () =>
      (await fixture.store.operations.listRecords(projectId, write.operation.id)).map((record) => record.problems);
    expect(await problemsOf()).toEqual([problems, [{ message: 'said' }]]);
    await age(write.operation.id, 31);
    await fixture.store.writes.purgePlans(30, 100);
    const gone = [{ message: expect.stringContaining('was deleted') }];
    expect(await problemsOf()).toEqual([gone, gone]);
  });

  it('never takes the plan of a record that is still to do', async () => {
    const write = await fixture.accept({ records: [{}, {}] });
    const call = await fixture.claimOne();
    await fixture.settle(call, [written(0, '1'), unfinished(1)], { next: { state: 'ready', delayMs: 0 } });
    await age(write.operation.id, 400);
    expect(await fixture.store.writes.purgePlans(30, 100)).toBe(1);
    expect(await plansOf(write.operation.id)).toEqual([false, true]);
  });

  it('goes in steps', async () => {
    const all = [fixture.asynchronous({ records: [{}, {}] }), fixture.asynchronous()];
    await fixture.store.writes.accept(all);
    for (const call of await fixture.claim()) await fixture.settleAll(call);
    for (const [at, { operation }] of all.entries()) await age(operation.id, 40 - at);
    expect(await fixture.store.writes.purgePlans(30, 2)).toBe(2);
    expect(await fixture.store.writes.purgePlans(30, 2)).toBe(1);
    expect(await fixture.store.writes.purgePlans(30, 2)).toBe(0);
  });
});
