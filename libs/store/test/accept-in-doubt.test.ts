import { DefectError } from '@sluice/errors';
import { newId, type AcceptableWrite, type BatchableWrite } from '@sluice/store';
import { startTcpProxy, until, type TcpProxy } from '@sluice/testkit';
import { insertAccepted } from '../src/writes/accept-writes';
import { createWriteStore, type WriteStore } from '../src/writes/write-store';
import { useWriteFixture } from './write-fixture';

// A statement whose connection broke may still run in the server. "Stale" lets the gateway plan and store the write again, as another operation.

const fixture = useWriteFixture();
let proxy: TcpProxy;
let store: WriteStore;
beforeEach(async () => {
  proxy = await startTcpProxy(fixture.url);
  store = createWriteStore(fixture.connect({ url: proxy.url }), 1);
});
afterEach(() => proxy.close());

/**
 * Accepts while the first try waits for a row of its own id. Then the config changes, the connection breaks, and the second try refuses the write.
 * @returns its outcome, and whether the first try was committed after it
 */
async function acceptTwice(write: AcceptableWrite): Promise<{ outcome: unknown; isStored: boolean }> {
  const blocker = await fixture.database.transaction();
  const { idempotency: _, ...bare } = write;
  await insertAccepted(blocker, [bare], 1);
  const accepting = store.accept([write]).then(
    (answers) => answers.get(write.operation.id),
    (error: unknown) => error,
  );
  await until('the first try waits', () => hasBackend(`wait_event = 'transactionid'`));
  await fixture.database('installations').update({ config_id: 'another' });
  proxy.reset();
  const outcome = await accepting;
  await blocker.rollback();
  await until('the first try has ended', async () => ((await hasBackend(`state = 'active'`)) ? undefined : true));
  const stored = await fixture.database('operations').select('id');
  return { outcome, isStored: stored.length > 0 };
}

/** Whether another connection to this database is as the condition says. */
async function hasBackend(condition: string): Promise<true | undefined> {
  const others = `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  const { rows } = await fixture.database.raw<{ rows: unknown[] }>(`${others} and ${condition}`);
  return rows.length > 0 ? true : undefined;
}

it.each([
  ['without a key', {}],
  [
    'with a key, under which a repeat of the request finds out',
    { idempotency: { scope: 'w', key: newId(), bodyHash: 'h' } },
  ],
])('a repetition that would refuse the write reports it as in doubt, %s', async (_, more) => {
  const { outcome, isStored } = await acceptTwice({ ...fixture.asynchronous(), ...more });
  expect(isStored).toBe(true);
  expect(outcome).toMatchObject({ code: 'service.unavailable', meta: { retryable: false } });
});

// It is no outage: a caller that comes again meets it again, and an alert should name it.
describe('a defect before the statement is sent', () => {
  it('of an accept is reported as one, and neighbours are not in doubt', async () => {
    const write = { ...fixture.asynchronous(), records: undefined as unknown as AcceptableWrite['records'] };
    await expect(store.accept([write, fixture.asynchronous()])).rejects.toBeInstanceOf(DefectError);
    expect(proxy.statements()).toBe(0);
  });

  it('of a join is reported as one, and neighbours are joined', async () => {
    const write = { ...fixture.batchable(), record: undefined as unknown as BatchableWrite['record'] };
    const neighbour = fixture.batchable();
    const answers = await store.join([write, neighbour]);
    expect(answers.get(write.recordId)).toBeInstanceOf(DefectError);
    expect(answers.get(neighbour.recordId)).toMatchObject({ kind: 'joined' });
  });
});
