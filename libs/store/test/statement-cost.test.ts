import { type AcceptableWrite, type BatchMembership, type Settlement, type SynchronousWrite } from '@sluice/store';
import { fillBacklog } from '@sluice/testkit';
import { knex, type Knex } from 'knex';
import { Client } from 'pg';
import { connectionStore } from '../src/connections/connection-store';
import { openDatabase, renewPlans } from '../src/database';
import { installationLookup } from '../src/installations/installation-lookup';
import { createWriteStore } from '../src/writes/write-store';
import { createWriteFixture, type WriteFixture } from './write-fixture';

let fixture: WriteFixture;
/** One connection, whose plans are never renewed, and tables that nothing analyzes meanwhile. */
let database: Knex;
let tables: readonly string[];
beforeEach(async () => {
  fixture = await createWriteFixture();
  database = knex({ client: 'pg', connection: fixture.url, pool: { min: 1, max: 1 } });
  const found = await database('pg_tables')
    .where({ schemaname: 'public' })
    .select<{ tablename: string }[]>('tablename');
  tables = found.map(({ tablename }) => tablename);
  for (const name of tables) await database.raw('alter table ?? set (autovacuum_enabled = off)', [name]);
});
afterEach(async () => {
  await database.destroy();
  await fixture.close();
});

describe('a write', () => {
  /** What Postgres plans for the values of an execution, before it compares the cost of one plan for all. */
  const firstExecutions = 5;

  /** A write of each kind, from the look-up of its customer to its end. @returns how many statements went to the server, by step */
  async function writeAll(round: number): Promise<Record<string, number>> {
    const { seeded, lane } = fixture;
    const { projectId, connectionId } = seeded;
    const writes = createWriteStore(database, 1);
    const lookup = installationLookup(database);
    const sent: Record<string, number> = {};
    const count = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
      const onQuery = () => (sent[step] = (sent[step] ?? 0) + 1);
      database.on('query', onQuery);
      return await work().finally(() => database.off('query', onQuery));
    };
    const names = {
      withinProjectId: projectId,
      projectIdOrName: projectId,
      integrationId: seeded.integrationId,
      groupRef: seeded.groupRef,
    };
    const ofKey = (key: string) => ({ idempotency: { scope: 'write', key: `${key} ${round}`, bodyHash: 'hash' } });
    const updateOf = (name: string) =>
      fixture.asynchronous({ type: 'update', records: [{ recordId: `${name} ${round}` }] });
    const synchronous = (write: AcceptableWrite): SynchronousWrite => ({ ...write, owner: 'gateway', leaseMs: 60_000 });

    const twice = <T>(find: () => Promise<T>) => Promise.all([find(), find()]);
    const connections = connectionStore(database);
    await count('find names', () => twice(() => lookup.findIds(names)));
    await count('find accounts', () => twice(() => lookup.findAccount(names)));
    await count('find credentials', () => twice(() => connections.findCredentials(projectId, connectionId)));
    await count('read blocks', () => twice(() => writes.readLaneBlock(lane)));
    await count('open a create', () => writes.openTogether([synchronous(fixture.asynchronous())]));
    await count('open a create with a key', () =>
      writes.openTogether([{ ...synchronous(fixture.asynchronous()), ...ofKey('create') }]),
    );
    await count('open an update', () => writes.openSynchronous(synchronous(updateOf('one'))));
    await count('open an update with a key', () =>
      writes.openSynchronous({ ...synchronous(updateOf('another')), ...ofKey('update') }),
    );
    await count('accept', () => writes.accept([fixture.asynchronous(), updateOf('queued')]));
    await count('accept with a key', () => writes.accept([{ ...fixture.asynchronous(), ...ofKey('accept') }]));

    const batch = Array.from({ length: 100 }, () => fixture.batchable());
    const joined = await count('join', () => writes.join(batch));
    const { operationId } = joined.get(batch[0]?.recordId ?? '') as BatchMembership;
    await count('seal', () =>
      writes.seal({ projectId, operationId }, (records) => [
        { number: 1, connectionId, recordIndexes: records.map(({ index }) => index), planBytes: records.length },
      ]),
    );
    const request = { owner: 'test', lanes: [lane], limit: 64, perLane: 64, leaseMs: 60_000, isolated: false };
    const { calls } = await count('claim', () => writes.claim(request));
    expect(calls).toHaveLength(4);
    const loaded = await count('load', () => writes.loadManyPending(calls));
    await count('note intents', () =>
      writes.recordIntents(calls.map((call, at) => ({ ...call, records: loaded[at] ?? [] }))),
    );
    const settlements = calls.map((call, at): Settlement => ({
      ...call,
      isCreate: call.type === 'create',
      attempt: { durationMs: 1, status: 201 },
      records: (loaded[at] ?? []).map(({ index }) => ({ index, kind: 'succeeded', providerId: `${round} ${index}` })),
      next: { state: 'done' },
      orderKeys: (loaded[at] ?? []).flatMap(({ orderKey }) => orderKey ?? []),
    }));
    const sorted = settlements.toSorted((one, other) => Number(other.isCreate) - Number(one.isCreate));
    const [retried, keyed, ...others] = sorted as [Settlement, Settlement, ...Settlement[]];
    const again = retried.records.map(({ index }) => ({ index, kind: 'again', sendState: 'none' }) as const);
    const later = { records: again, next: { state: 'ready', delayMs: 3_600_000 }, orderKeys: [] } as const;
    expect((await count('settle', () => writes.settle(others))).answers.size).toBe(2);
    await count('settle for a retry', () => writes.settle([{ ...retried, ...later }]));
    await count('settle a key', () => writes.settle([{ ...keyed, idempotency: { scope: 'write', key: 'none' } }]));
    return sent;
  }

  // Observed: the opening of a synchronous update was planned each time, 0.9 of its 1.3 ms, because the planner saw how many keys there were.
  it('has one plan for all executions of each statement with a name, which outlives columns that a later version adds', async () => {
    // Of a full table Postgres would rather plan each claim for its values.
    await fillBacklog(fixture.url, fixture.seeded, { calls: 20_000, lanes: 1_000 });
    for (let round = 0; round < 2 * firstExecutions; round += 1) await writeAll(round);
    const { rows: prepared } = await database.raw<{ rows: { name: string; once: number; kept: number }[] }>(
      `select name, custom_plans::integer as once, generic_plans::integer as kept from pg_prepared_statements
       where name <> '' order by name`,
    );
    expect(prepared.filter(({ once, kept }) => once > firstExecutions || kept === 0)).toEqual([]);
    const onTheWay = [
      'open-creates',
      'open-ordered',
      'open-keyed-ordered',
      'accept-singles',
      'join-batches',
      'seal-batch',
      'take-calls',
      'settle-creates',
      'settle-updates',
      'settle-calls',
      'end-operations',
    ];
    expect(prepared.map(({ name }) => name)).toEqual(expect.arrayContaining(onTheWay));
    // The server refuses a prepared statement whose columns have become others.
    for (const name of tables) await database.raw('alter table ?? add column later_version text', [name]);
    await writeAll(2 * firstExecutions);
  });

  // Each is a round trip. Whoever adds one to a step says here what for.
  it('is a few statements for each step, however many records the step has', async () => {
    const sent = await writeAll(1);
    const most: Record<string, number> = {
      'open an update': 4,
      'open an update with a key': 4,
      seal: 6,
      claim: 9,
      settle: 2,
      'settle for a retry': 9,
      'settle a key': 10,
    };
    expect(Object.keys(sent)).toEqual(expect.arrayContaining(Object.keys(most)));
    expect(Object.entries(sent).filter(([step, statements]) => statements > (most[step] ?? 1))).toEqual([]);
  });
});

describe('a prepared plan', () => {
  let client: Client;
  beforeEach(async () => {
    client = new Client({ connectionString: fixture.url });
    await client.connect();
    renewPlans(client, 0);
  });
  afterEach(() => client.end());

  const find = () => client.query({ name: 'find-grown', text: 'select id from grown where id = $1', values: [1] });

  it('that is too old is replaced by one for the table as it is, and a refusal is that of the statement', async () => {
    await client.query('create table grown (id integer primary key) with (autovacuum_enabled = false)');
    await client.query('set plan_cache_mode = force_generic_plan');
    await client.query('insert into grown values (1)');
    await client.query('analyze grown');
    await find();
    await client.query('insert into grown select generate_series(2, 20000)');
    await find();
    const { rows } = await client.query<{ 'QUERY PLAN': string }>('explain execute "find-grown"(1)');
    expect(rows[0]?.['QUERY PLAN']).toMatch(/^Index Only Scan/);

    await client.query('begin');
    await expect(client.query('select 1 / 0')).rejects.toThrow(/division by zero/);
    await expect(find()).rejects.toThrow(/current transaction is aborted/);
    await client.query('rollback');
    client.on('error', () => undefined);
    const [lost] = await Promise.allSettled([find(), client.query('select pg_terminate_backend(pg_backend_pid())')]);
    expect(lost).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringMatching(/closed|not queryable|terminated/) },
    });
  });

  // What fails when knex or pg no longer sends its statements through the replaced `query`.
  it.each([
    [true, ['find-one']],
    [false, []],
  ])('with `prepared: %s` a connection of the pool has %j', async (prepared, expected) => {
    const pool = openDatabase({ url: fixture.url, applicationName: 'test', poolMax: 1, prepared });
    await pool.raw('select 1 as one').options({ name: 'find-one' });
    const { rows } = await pool.raw<{ rows: { name: string }[] }>('select name from pg_prepared_statements');
    await pool.destroy();
    expect(rows.map(({ name }) => name)).toEqual(expected);
  });
});
