import { cloneDatabase, type ClonedDatabase } from '@sluice/testkit';
import { Client } from 'pg';
import { renewPlans } from '../src/kept-plans';

let clone: ClonedDatabase;
let client: Client;
beforeEach(async () => {
  clone = await cloneDatabase();
  client = new Client({ connectionString: clone.url });
  await client.connect();
  // A renewal of its own accord would come from an analyze, and a connection keeps a plan for all values after five for one each.
  await client.query('create table grown (id integer primary key) with (autovacuum_enabled = false)');
  await client.query('set plan_cache_mode = force_generic_plan');
});
afterEach(async () => {
  await client.end();
  await clone.drop();
});

const find = () => client.query({ name: 'find-grown', text: 'select id from grown where id = $1', values: [1] });

/** How the rows are found under the plan that is kept now, after the table has grown from one row to many. */
async function planAfterGrowth(): Promise<string> {
  await client.query('insert into grown values (1)');
  await client.query('analyze grown');
  await find();
  await client.query('insert into grown select generate_series(2, 20000)');
  await find();
  const { rows } = await client.query<{ 'QUERY PLAN': string }>('explain execute "find-grown"(1)');
  return rows[0]?.['QUERY PLAN'] ?? '';
}

it('a plan that is too old is made anew for the table as it is', async () => {
  renewPlans(client, 0);
  expect(await planAfterGrowth()).toMatch(/^Index Only Scan/);
});

it('a younger one is kept, whatever became of the table', async () => {
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

// As knex asks.
it('an answer comes to a callback as well', async () => {
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
