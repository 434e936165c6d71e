import { migrateDatabase, openDatabase } from '@sluice/store';
import { createEmptyDatabase, type ClonedDatabase } from '@sluice/testkit';
import { createCustomer, type Customer } from '../harness/customer';
import { startStack, type OwnStack } from '../harness/stack';
import { findPgBouncer, startPgBouncer, type PgBouncer } from './pgbouncer/start-pgbouncer';

/** Server connections for the five services, which may open 50. */
const poolSize = 4;
const writes = 200;

const program = findPgBouncer();
if (program === undefined) {
  process.stderr.write(
    'SKIPPED tests/flows/pgbouncer.test.ts: pgbouncer is not installed (apt-get install pgbouncer)\n',
  );
}

// docs/guides/pgbouncer.md. In transaction mode each transaction may meet another session: nothing of ours may be left in one.
(program === undefined ? describe.skip : describe)('behind PgBouncer in transaction mode', () => {
  let database: ClonedDatabase;
  let pooler: PgBouncer;
  let stack: OwnStack;
  let customer: Customer;
  beforeAll(async () => {
    database = await createEmptyDatabase();
    pooler = await startPgBouncer(program ?? '', database.url, poolSize);
    await migrateDatabase(pooler.url);
    stack = await startStack({
      env: { DATABASE_URL: pooler.url, SLUICE_DATABASE_PREPARED: pooler.knowsNames ? 'on' : 'off' },
    });
    customer = await createCustomer(stack, { provider: 'hubspot', read: ['contacts'], write: ['contacts'] });
  });
  afterAll(async () => {
    await stack?.stop();
    await pooler?.stop();
    await database?.drop();
  });

  it('migrates, accepts, batches, performs and settles, on no more connections than the pool has', async () => {
    const observer = openDatabase({ url: database.url, poolMax: 1, applicationName: 'observer' });
    const modes = [{ mode: 'synchronous' }, { mode: 'asynchronous' }];
    const auto = { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1 } };
    const replies = await Promise.all(
      Array.from({ length: writes }, (_, n) => {
        const record = { email: `pool-${n}@example.com` };
        return customer.write('contacts', { type: 'create', record, ...(modes[n % 4] ?? auto) });
      }),
    );
    expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
    const { rows } = await observer.raw<{ rows: [{ count: number }] }>(
      `select count(*)::integer as count from pg_stat_activity where datname = current_database() and application_name <> 'observer'
         and backend_type = 'client backend'`,
    );
    await observer.destroy();
    expect(rows[0].count).toBeLessThanOrEqual(poolSize);
    for (const id of new Set(replies.map(({ body }) => body.operationId))) {
      expect(await customer.ended(id)).toMatchObject({ status: 'success' });
    }
    expect(await customer.account.records('contacts')).toHaveLength(writes);
  });

  it('has no statement of ours that a session keeps', async () => {
    const observer = openDatabase({ url: database.url, poolMax: 1, applicationName: 'observer' });
    // A lock or a LISTEN that outlives its transaction would show here.
    const locks = await observer.raw<{ rows: unknown[] }>(
      `select 1 from pg_locks l join pg_database d on d.oid = l.database
       where l.locktype = 'advisory' and d.datname = current_database()`,
    );
    await observer.destroy();
    expect(locks.rows).toEqual([]);
  });
});
