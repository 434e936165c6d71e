import { openDatabase } from '@sluice/store';
import { fillBacklog, patientLimits } from '@sluice/testkit';
import { claimReady } from '../src/writes/claim-calls';
import { insertSynchronous } from '../src/writes/open-synchronous';
import { settleTogether } from '../src/writes/settle-calls';
import { createWriteFixture, type WriteFixture } from './write-fixture';

let fixture: WriteFixture;
let database: ReturnType<typeof openDatabase>;
beforeEach(async () => {
  fixture = await createWriteFixture();
  database = openDatabase({ url: fixture.url, poolMax: 1, applicationName: 'test', limits: patientLimits });
});
afterEach(async () => {
  await database.destroy();
  await fixture.close();
});

const rows = 20_000;

/** Rows and index entries that the server's statistics count as read. */
async function entriesRead(): Promise<number> {
  await database.raw('select pg_stat_force_next_flush()');
  const read = await database.raw<{ rows: { entries: string }[] }>(
    `select sum(seq_tup_read + (select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes i where i.relid = t.relid)) as entries
     from pg_stat_user_tables t where relname in ('calls', 'records', 'order_queue', 'operations')`,
  );
  return Number(read.rows[0]?.entries);
}

// A statement with a name keeps its plan for seconds (renewPlans). What was planned while nothing waited must do for what comes in these seconds.
it('a claim, a settlement and the opening of an update that were planned while nothing waited read no more when thousands do', async () => {
  await fillBacklog(fixture.url, fixture.seeded, { calls: rows });
  await database.raw('alter table calls set (autovacuum_enabled = off)');
  await database.raw('alter table order_queue set (autovacuum_enabled = off)');
  await database.raw('create table hidden as table order_queue');
  await database('order_queue').delete();
  await database('calls').update({ state: 'done' });
  await database.raw('vacuum (full, analyze) calls, order_queue');
  // Else each of the first executions has a plan of its own.
  await database.raw('set plan_cache_mode = force_generic_plan');
  const openUpdate = (recordId: string) => {
    const update = fixture.asynchronous({ type: 'update', records: [{ recordId }] });
    return insertSynchronous(database, { ...update, owner: 'gateway', leaseMs: 60_000 }, 1);
  };
  const claimAndSettle = async (): Promise<number> => {
    const request = { owner: 'test', lanes: [fixture.lane], limit: 4, perLane: 4, leaseMs: 60_000, isolated: false };
    const { calls } = await claimReady(database, request);
    const settlements = calls.map((call) => ({
      ...call,
      isCreate: false,
      records: [{ index: 0, kind: 'succeeded' as const, providerId: '1' }],
      next: { state: 'done' as const },
      orderKeys: [`${call.laneId}/contacts/1`],
    }));
    await settleTogether(database, settlements, 1);
    return calls.length;
  };
  const [call] = await database('calls').limit(1).select('operation_id');
  const only = { operation_id: (call as { operation_id: string }).operation_id };
  await database('calls').where(only).update({ state: 'ready' });
  expect(await claimAndSettle()).toBe(1);
  expect(await openUpdate('another')).toMatchObject({ kind: 'opened' });

  await database('calls').whereNot(only).update({ state: 'ready' });
  await database.raw('insert into order_queue table hidden');
  const before = await entriesRead();
  expect(await claimAndSettle()).toBe(4);
  expect(await openUpdate('a third')).toMatchObject({ kind: 'opened' });
  expect((await entriesRead()) - before).toBeLessThan(500);
});
