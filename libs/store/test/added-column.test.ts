import { createStore, type PlannedCall } from '@sluice/store';
import { patientLimits } from '@sluice/testkit';
import { openDatabase } from '../src/database';
import { createWriteFixture } from './write-fixture';

// The server refuses a prepared statement whose columns have become others, and an upgrade adds columns under services that run.
it('what a connection has prepared goes on when a later version adds a column to each table', async () => {
  const fixture = await createWriteFixture();
  const options = { url: fixture.url, poolMax: 1, applicationName: 'test', limits: patientLimits };
  const store = createStore(options);
  const { writes } = store;
  const { projectId, connectionId } = fixture.seeded;
  const oneCall = (): PlannedCall[] => [{ number: 1, connectionId, recordIndexes: [0], planBytes: 10 }];

  let recordId = 0;
  const writeTwo = async (): Promise<string> => {
    recordId += 1;
    await writes.accept([fixture.asynchronous({ type: 'update', records: [{ recordId: `accepted-${recordId}` }] })]);
    const joined = await writes.join([fixture.batchable({ type: 'update', recordId: `joined-${recordId}` })]);
    for (const answer of joined.values()) {
      if (typeof answer === 'string' || !('operationId' in answer)) throw new Error('the write has joined no batch');
      await writes.seal({ projectId, operationId: answer.operationId }, oneCall);
    }
    const request = { owner: 'test', lanes: [fixture.lane], limit: 4, perLane: 4, leaseMs: 60_000, isolated: false };
    expect((await writes.claim({ ...request, isolated: true })).calls).toEqual([]);
    const { calls } = await writes.claim(request);
    for (const call of calls) {
      const [record] = await writes.loadPending(call);
      if (record?.orderKey === undefined) throw new Error('the call has no record');
      await writes.recordIntents([{ ...call, records: [{ index: 0 }] }]);
      const settlement = {
        ...call,
        isCreate: false,
        attempt: { durationMs: 1, status: 200 },
        orderKeys: [record.orderKey],
      };
      const again = { index: 0, kind: 'again' as const, sendState: 'none' as const };
      const succeeded = { index: 0, kind: 'succeeded' as const, providerId: '1' };
      const isFirst = call === calls[0];
      await writes.settle([
        isFirst
          ? { ...settlement, records: [again], next: { state: 'ready', delayMs: 3_600_000 } }
          : { ...settlement, records: [succeeded], next: { state: 'done' } },
      ]);
    }
    return calls.map((call) => call.mode).join();
  };

  const modes = await writeTwo();
  const database = openDatabase(options);
  const { rows: tables } = await database.raw<{ rows: { name: string }[] }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  for (const { name } of tables) await database.raw('alter table ?? add column later_version text', [name]);
  await database.destroy();

  expect(await writeTwo()).toBe(modes);
  await store.close();
  await fixture.close();
});
