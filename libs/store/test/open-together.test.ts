import { openDatabase, type SynchronousWrite } from '@sluice/store';
import { patientLimits } from '@sluice/testkit';
import { createWriteFixture, type WriteFixture } from './write-fixture';

let fixture: WriteFixture;
let database: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  fixture = await createWriteFixture();
  database = openDatabase({ url: fixture.url, poolMax: 1, applicationName: 'test', limits: patientLimits });
});
afterAll(async () => {
  await database.destroy();
  await fixture.close();
});

const write = (o: { configId?: string; records?: object[]; key?: string } = {}): SynchronousWrite => ({
  ...fixture.asynchronous({ records: o.records ?? [{}], ...(o.configId !== undefined && { configId: o.configId }) }),
  owner: 'gateway',
  leaseMs: 6_000,
  ...(o.key !== undefined && { idempotency: { scope: 'write', key: o.key, bodyHash: 'hash' } }),
});

// Whoever shares a statement gets the answer that it would get alone: a neighbour's stale plan or taken key is not its own.
it('opens writes of one statement each by its own facts', async () => {
  await fixture.store.writes.openSynchronous(write({ key: 'taken' }));
  const writes = [
    write(),
    write({ configId: 'another' }),
    write({ records: [{}, {}, {}], key: 'free' }),
    write({ key: 'taken' }),
  ];
  const openings = await fixture.store.writes.openTogether(writes);
  expect(openings.map(({ kind }) => kind)).toEqual(['opened', 'stale', 'opened', 'key-taken']);
  const stored = await database.raw<{ rows: object[] }>(
    `select o.id, o.mode, c.state, c.fence::integer, (select count(*)::integer from records r where r.operation_id = o.id) as records, a.record_indexes
     from operations o join calls c on c.operation_id = o.id join attempts a on a.operation_id = o.id
     where o.id = any(?::text[]) order by o.id`,
    [writes.map(({ operation }) => operation.id)] as never,
  );
  const running = { mode: 'synchronous', state: 'running', fence: 1 };
  expect(stored.rows).toEqual([
    { ...running, id: writes[0]?.operation.id, records: 1, record_indexes: [0] },
    { ...running, id: writes[2]?.operation.id, records: 3, record_indexes: [0, 1, 2] },
  ]);
});
