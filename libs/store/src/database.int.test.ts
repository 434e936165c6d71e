import { randomUUID } from 'node:crypto';
import { cloneDatabase, startTcpProxy, until, type ClonedDatabase, type TcpProxy } from '@sluice/testkit';
import { silentLogger, type Logger } from '@sluice/telemetry';
import { openDatabase, openProbe, usualLimits } from './database';
import { createSilenceWatch } from './silence-watch';
import { createStore, migrateDatabase, type Store } from './store';

let clone: ClonedDatabase;
let proxy: TcpProxy;
const stores: Store[] = [];
/** Longer than any test may take: who waits where waiting heals nothing, fails by the test's own limit. */
const patientMs = 600_000;

beforeAll(async () => {
  clone = await cloneDatabase();
  proxy = await startTcpProxy(clone.url);
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});
afterAll(async () => {
  proxy.close();
  await clone.drop();
});

/** A store, and the reasons that it gave for waiting. */
function open(url: string, waitMs: number) {
  const reasons: string[] = [];
  const warn = (fields: object): void => void reasons.push(String((fields as { reason: unknown }).reason));
  const logger: Logger = { ...silentLogger, warn };
  const store = createStore({ url, waitMs, logger, applicationName: 'database-test', poolMax: 1 });
  stores.push(store);
  return { store, reasons, logger };
}

function changed(change: (url: URL) => void): string {
  const url = new URL(clone.url);
  change(url);
  return url.toString();
}

// A role is the whole server's, which runs at the same time may share.
const limited = `sluice_await_${randomUUID().replaceAll('-', '')}`;

async function onClone(...statements: readonly string[]): Promise<void> {
  const database = openDatabase({ url: clone.url, poolMax: 1, applicationName: 'database-test' });
  try {
    for (const statement of statements) await database.raw(statement);
  } finally {
    await database.destroy();
  }
}

// Observed on a busy node: new pods gave up after 2 s, and an upgrade took three times as long.
describe('a database that cannot be used for the moment', () => {
  it('is retried until it answers, with the reason logged once', async () => {
    proxy.cut();
    const { store, reasons } = open(proxy.url, patientMs);
    const asked = store.assertMigrated();
    await until('a reason', () => reasons[0]);
    await proxy.mend();
    await expect(asked).resolves.toBeUndefined();
    expect(reasons).toEqual([expect.stringMatching(/^The database \S+ at \S+ does not answer \(ECONNREFUSED\)\.$/)]);
  });

  it('is retried when it takes connections and does not answer', async () => {
    proxy.disturb({ silent: 'reply' });
    const { store, reasons } = open(proxy.url, patientMs);
    const asked = store.assertMigrated();
    await until('a reason', () => reasons[0], 30_000);
    proxy.disturb();
    await expect(asked).resolves.toBeUndefined();
    expect(reasons[0]).toMatch(/gave no connection within 2 s/);
  });

  it('is retried when it has no connection left for the user', async () => {
    await onClone(
      `create role ${limited} login password 'any' connection limit 0`,
      `grant select on knex_migrations to ${limited}`,
    );
    const { store, reasons } = open(
      changed((url) => Object.assign(url, { username: limited, password: 'any' })),
      patientMs,
    );
    const asked = store.assertMigrated();
    await until('a reason', () => reasons[0]);
    await onClone(`alter role ${limited} connection limit 5`);
    await expect(asked).resolves.toBeUndefined();
    expect(reasons[0]).toMatch(/has no connection left/);
    await store.close();
    stores.length = 0;
    await onClone(`drop owned by ${limited}`, `drop role ${limited}`);
  });

  it('is waited for by the migration as well', async () => {
    proxy.cut();
    const { logger, reasons } = open(proxy.url, patientMs);
    const migrated = migrateDatabase(proxy.url, { waitMs: patientMs, logger });
    await until('a reason', () => reasons[0]);
    await proxy.mend();
    await expect(migrated).resolves.toEqual([]);
  });

  it('is given up in the end, with how long it was tried', async () => {
    const { store } = open('postgres://nobody@127.0.0.1:9/none', 1_000);
    await expect(store.assertMigrated()).rejects.toMatchObject({
      detail: expect.stringMatching(/does not answer \(ECONNREFUSED\); tried for \d+ s\.$/),
    });
  });
});

describe('what no waiting heals fails at once', () => {
  it.each([
    [
      'a database that is not there',
      (url: URL) => Object.assign(url, { pathname: '/nobody_made_this' }),
      'does not exist',
    ],
    ['a user that is not let in', (url: URL) => Object.assign(url, { username: 'sluice_nobody' }), 'refuses the user'],
  ])('%s', async (_, change, text) => {
    const { store, reasons } = open(changed(change), patientMs);
    await expect(store.assertMigrated()).rejects.toMatchObject({ detail: expect.stringContaining(text) });
    expect(reasons).toEqual([]);
  });
});

// Observed: the Postgres of a trial came back empty, every request failed, and every pod was ready.
it('has no statement compiled by the server', async () => {
  const database = openDatabase({ url: clone.url, poolMax: 1, applicationName: 'database-test' });
  const { rows } = await database.raw<{ rows: { jit: string }[] }>('show jit');
  await database.destroy();
  expect(rows).toEqual([{ jit: 'off' }]);
});

it('notices a schema that is gone, or older, under a running service', async () => {
  const own = await cloneDatabase();
  const store = createStore({ url: own.url, applicationName: 'database-test', poolMax: 1 });
  const database = openDatabase({ url: own.url, poolMax: 1, applicationName: 'database-test' });
  const seen = [await store.health()];
  await database.raw('delete from knex_migrations where id = (select max(id) from knex_migrations)');
  seen.push(await store.health());
  await database.raw('drop schema public cascade; create schema public');
  seen.push(await store.health());
  await Promise.all([store.close(), database.destroy()]);
  await own.drop();
  const lacking = 'has not the schema of this version';
  expect(seen.map((fault) => fault?.reason)).toEqual([undefined, lacking, lacking]);
});

// A statement that waits for a lock or reads a large table is no sign of a database that is hung.
it('waits for a statement that takes longer than a hung database is given', async () => {
  const warn = jest.fn();
  const watch = createSilenceWatch({ probe: openProbe(clone), logger: { ...silentLogger, warn } });
  const limits = { ...usualLimits, connectMs: 60_000, statementMs: 60_000 };
  const database = openDatabase({ url: clone.url, poolMax: 1, applicationName: 'database-test', limits, watch });
  watch.start();
  await database.raw('select pg_sleep(5)');
  expect(warn).not.toHaveBeenCalled();
  watch.stop();
  await database.destroy();
}, 120_000);

// After a failover a connection may lead to a server that was made a standby: it answers, and takes no write.
it('keeps no connection to a server that takes no writes', async () => {
  const warn = jest.fn();
  const logger: Logger = { ...silentLogger, warn };
  const database = openDatabase({ url: clone.url, poolMax: 1, applicationName: 'database-test', logger });
  const pidOf = async () =>
    (await database.raw<{ rows: [{ pid: number }] }>('select pg_backend_pid() as pid')).rows[0].pid;
  const first = await pidOf();
  await database.raw('set session characteristics as transaction read only');
  expect(await pidOf()).toBe(first);
  await expect(database.raw('create table of_a_standby ()')).rejects.toThrow(/read-only/);
  expect(await pidOf()).not.toBe(first);
  await database.transaction(async (transaction) => {
    await transaction.raw('set session characteristics as transaction read only');
  });
  const second = await pidOf();
  await expect(database.transaction((transaction) => transaction.raw('create table of_a_standby ()'))).rejects.toThrow(
    /read-only/,
  );
  expect(await pidOf()).not.toBe(second);
  await database.raw('create temporary table of_a_primary ()');
  await database.destroy();
  expect(warn.mock.calls.map(([, event]: [object, string]) => event)).toEqual([
    'database.read-only',
    'database.read-only',
  ]);
});
