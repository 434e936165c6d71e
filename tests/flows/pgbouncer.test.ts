import { createStore, migrateDatabase, openDatabase, type Store } from '@sluice/store';
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

  describe('whose sessions begin otherwise than Sluice needs', () => {
    const alter = async (...settings: readonly string[]) => {
      const observer = openDatabase({ url: database.url, poolMax: 1, applicationName: 'observer' });
      for (const setting of settings)
        await observer.raw(`do $$ begin execute format('alter database %I ${setting}', current_database()); end $$`);
      await observer.destroy();
    };
    /** A store behind a pooler whose connections are all new, and few, so that transactions meet one that another client has set up. */
    const behindNewPooler = async <T>(use: (store: Store) => Promise<T>): Promise<T> => {
      const own = await startPgBouncer(program ?? '', database.url, 3);
      const options = { url: own.url, applicationName: 'behind', prepared: own.knowsNames, poolMax: 8 };
      const store = createStore(options);
      try {
        return await use(store);
      } finally {
        await store.close();
        await own.stop();
      }
    };
    afterEach(() => alter('reset all'));

    it.each(['German', '"SQL, DMY"'])('carries DateStyle: %s', async (style) => {
      await alter(
        `set datestyle to ${style}`,
        'set timezone to "Asia/Kathmandu"',
        'set standard_conforming_strings to off',
      );
      const found = await behindNewPooler(async (store) => {
        await store.assertMigrated();
        return Promise.all(Array.from({ length: 60 }, () => store.projects.find(customer.project.id)));
      });
      const [first] = found;
      expect(first?.createTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(new Set(found.map((project) => project?.createTime))).toEqual(new Set([first?.createTime]));
    });

    it('refuses what nothing would carry, by its name, and takes it from the role', async () => {
      await alter('set array_nulls to off');
      await expect(behindNewPooler((store) => store.assertMigrated())).rejects.toMatchObject({
        detail: expect.stringContaining(`array_nulls = 'off'`),
        remedy: expect.stringContaining(`set array_nulls = 'on'`),
      });
      await alter('reset array_nulls');
      await expect(behindNewPooler((store) => store.assertMigrated())).resolves.toBeUndefined();
    });
  });
});
