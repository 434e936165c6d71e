import { cloneDatabase, type ClonedDatabase } from '@sluice/testkit';
import { Client } from 'pg';
import { openDatabase, renewPlans } from '../src/database';

let clone: ClonedDatabase;
let client: Client;
beforeEach(async () => {
  clone = await cloneDatabase();
  client = new Client({ connectionString: clone.url });
  await client.connect();
  // Postgres renews plans itself after an analyze, and uses one plan for all values only after five for one each.
  await client.query('create table grown (id integer primary key) with (autovacuum_enabled = false)');
  await client.query('set plan_cache_mode = force_generic_plan');
});
afterEach(async () => {
  await client.end();
  await clone.drop();
});

const find = () => client.query({ name: 'find-grown', text: 'select id from grown where id = $1', values: [1] });

/** How the rows are found under the prepared plan, after the table has grown from one row to many. */
async function planAfterGrowth(): Promise<string> {
  await client.query('insert into grown values (1)');
  await client.query('analyze grown');
  await find();
  await client.query('insert into grown select generate_series(2, 20000)');
  await find();
  const { rows } = await client.query<{ 'QUERY PLAN': string }>('explain execute "find-grown"(1)');
  return rows[0]?.['QUERY PLAN'] ?? '';
}

it('a plan that is too old is replaced by one for the table as it is', async () => {
  renewPlans(client, 0);
  expect(await planAfterGrowth()).toMatch(/^Index Only Scan/);
});

it('a younger one is used, however the table has changed', async () => {
  renewPlans(client, Infinity);
  expect(await planAfterGrowth()).toMatch(/^Seq Scan/);
});

it('inside a transaction that has failed, the statement is refused for that and nothing else', async () => {
  renewPlans(client, 0);
  await client.query('begin');
  await expect(client.query('select 1 / 0')).rejects.toThrow(/division by zero/);
  await expect(find()).rejects.toThrow(/current transaction is aborted/);
  await client.query('rollback');
  expect((await find()).rows).toEqual([]);
});

// As knex calls it.
it('a result reaches a callback as well', async () => {
  renewPlans(client, 0);
  const one = await new Promise((resolve, reject) => {
    const query = { name: 'find-one', text: 'select 1 as one' };
    client.query(query, (error, result) => (error ? reject(error) : resolve(result.rows)));
  });
  expect(one).toEqual([{ one: 1 }]);
});

it.each<[string, () => Promise<unknown>]>([
  ['closed', () => client.end()],
  ['lost', () => client.query('select pg_terminate_backend(pg_backend_pid())')],
])('a connection that is %s meanwhile refuses the statement', async (_case, end) => {
  renewPlans(client, 0);
  client.on('error', () => undefined);
  const [found] = await Promise.allSettled([find(), end()]);
  expect(found).toMatchObject({
    status: 'rejected',
    reason: { message: expect.stringMatching(/closed|not queryable|terminated/) },
  });
});

// What fails when knex or pg no longer sends its statements through the replaced `query`.
it.each([
  [true, ['find-one']],
  [false, []],
])('with `prepared: %s` a connection of the pool has prepared %j', async (prepared, expected) => {
  const database = openDatabase({ url: clone.url, applicationName: 'prepared-test', poolMax: 1, prepared });
  try {
    await database.raw('select 1 as one').options({ name: 'find-one' });
    const { rows } = await database.raw<{ rows: { name: string }[] }>('select name from pg_prepared_statements');
    expect(rows.map(({ name }) => name)).toEqual(expected);
  } finally {
    await database.destroy();
  }
});
