import { type AcceptableWrite } from '@sluice/store';
import { v7 } from 'uuid';
import { useWriteFixture } from './write-fixture';

const fixture = useWriteFixture();

const dayMs = 86_400_000;
/** Accepted this many days ago. */
function accepted(days: number, records: object[] = [{}]): AcceptableWrite {
  const write = fixture.asynchronous({ records });
  return { ...write, operation: { ...write.operation, id: v7({ msecs: Date.now() - days * dayMs }) } };
}

/** Accepts and ends operations; their ends lie as far back as their accepts. @returns their ids */
async function end(...days: readonly number[]): Promise<string[]> {
  const writes = days.map((ago) => accepted(ago, [{}, {}]));
  await fixture.store.writes.accept(writes);
  for (const call of await fixture.claim()) {
    await fixture.store.writes.recordIntents([{ ...call, records: [{ index: 0 }, { index: 1 }] }]);
    await fixture.settleAll(call);
  }
  for (const [at, { operation }] of writes.entries())
    await fixture
      .database('operations')
      .where({ id: operation.id })
      .update({ updated_at: new Date(Date.now() - (days[at] ?? 0) * dayMs) });
  return writes.map(({ operation }) => operation.id);
}

const belongings = ['calls', 'records', 'attempts', 'outcomes'];
const countsOf = async (operationId: string) =>
  await Promise.all(
    belongings.map(
      async (table) => (await fixture.database(table).where({ operation_id: operationId }).select()).length,
    ),
  );

describe('the retention time of operations', () => {
  it('takes what ended before it with all that is stored of it, and nothing else', async () => {
    const [old = '', young = ''] = await end(91, 89);
    const { projectId } = fixture.seeded;
    expect(await countsOf(old)).toEqual([1, 2, 1, 1]);
    expect(await fixture.store.operations.deleteEnded(90, 100)).toBe(1);
    expect(await countsOf(old)).toEqual([0, 0, 0, 0]);
    expect(await fixture.store.operations.find(projectId, old)).toBeUndefined();
    expect(await countsOf(young)).toEqual([1, 2, 1, 1]);
    expect(await fixture.store.operations.find(projectId, young)).toMatchObject({ status: 'success' });
    expect(await fixture.store.operations.deleteEnded(90, 100)).toBe(0);
  });

  it('counts from the end: what was accepted before it and ended after it stays', async () => {
    const [late = ''] = await end(100);
    await fixture.database('operations').where({ id: late }).update({ updated_at: new Date() });
    expect(await fixture.store.operations.deleteEnded(90, 100)).toBe(0);
  });

  it('never takes what has not ended, however old it is', async () => {
    const write = accepted(400);
    await fixture.store.writes.accept([write]);
    await fixture.database('operations').update({ updated_at: new Date(0) });
    expect(await fixture.store.operations.deleteEnded(90, 100)).toBe(0);
    expect((await countsOf(write.operation.id))[1]).toBe(1);
  });

  it('goes in steps, the oldest first, also when others delete beside it', async () => {
    const ids = await end(95, 94, 93, 92);
    expect(await fixture.store.operations.deleteEnded(90, 1)).toBe(1);
    expect(await fixture.store.operations.find(fixture.seeded.projectId, ids[0] ?? '')).toBeUndefined();
    const beside = await Promise.all([1, 2, 3].map(() => fixture.store.operations.deleteEnded(90, 1)));
    const left = await fixture.database('operations').pluck('id');
    expect(left.length).toBe(3 - beside.reduce((sum, one) => sum + one, 0));
    while ((await fixture.store.operations.deleteEnded(90, 10)) > 0);
    expect(await fixture.database('records').select()).toEqual([]);
  });
});
