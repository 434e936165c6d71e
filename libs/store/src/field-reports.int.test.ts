import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEmptyDatabase, patientLimits, startTcpProxy, until } from '@sluice/testkit';
import { useWriteFixture } from '../test/write-fixture';
import { openDatabase } from './database';
import { guard } from './guard';
import { createStore, migrateDatabase } from './store';

// What failed for other users of Postgres, each as an input. The rows of docs/providers/field-reports.md name these tests and their sources.

const fixture = useWriteFixture('file');
type Database = ReturnType<typeof openDatabase>;

const pidOf = async (database: Database): Promise<number> =>
  (await database.raw<{ rows: [{ pid: number }] }>('select pg_backend_pid() as pid')).rows[0].pid;
const named = (database: Database, sql: string) => database.raw<{ rows: object[] }>(sql).options({ name: 'report' });
/** On each new session of the database. */
const alter = (setting: string) =>
  fixture.database.raw(`do $$ begin execute format('alter database %I set ${setting}', current_database()); end $$`);

test('D1: a connection of which nothing comes any more gives up its statement, and the next one is another', async () => {
  const proxy = await startTcpProxy(fixture.url);
  const database = openDatabase({
    url: proxy.url,
    applicationName: 'test',
    poolMax: 1,
    limits: { ...patientLimits, silentMs: 2_000 },
  });
  const first = await until('a connection', () => pidOf(database).catch(() => undefined));
  proxy.disturb({ silent: 'reply' });
  await expect(guard(async () => database.raw('select 1'))).rejects.toMatchObject({
    code: 'service.unavailable',
    detail: 'The database does not answer.',
  });
  proxy.disturb();
  expect(await until('another connection', () => pidOf(database).catch(() => undefined))).not.toBe(first);
  await database.destroy();
  proxy.close();
});

test('D2: a transaction that rested too long ends with its connection, and nothing of it is done on another', async () => {
  const database = fixture.connect({ limits: { idleMs: 50 } });
  await database.raw('create table rested (at int)');
  const other = fixture.database;
  const transaction = database.transaction(async (trx) => {
    await trx.raw('insert into rested values (1)');
    const pid = await pidOf(trx);
    await until('the server ends it', async () => {
      const { rows } = await other.raw<{ rows: object[] }>('select 1 from pg_stat_activity where pid = ?', [pid]);
      return rows.length === 0 || undefined;
    });
    await trx.raw('insert into rested values (2)');
  });
  await expect(transaction).rejects.toThrow(/connection/i);
  const { rows } = await database.raw<{ rows: object[] }>('select * from rested');
  expect(rows).toEqual([]);
});

test.each([
  ['D3: an administrator ends idle connections', 'select pg_terminate_backend(?)'],
  ['D3: the server ends what is idle', `set idle_session_timeout = 1`],
])('%s: the process goes on', async (_, ending) => {
  const database = fixture.connect();
  const pid = await pidOf(database);
  if (ending.includes('?')) await fixture.database.raw(ending, [pid]);
  else await database.raw(ending);
  await until('the connection is over', async () => {
    const sql = 'select 1 from pg_stat_activity where pid = ?';
    return (await fixture.database.raw<{ rows: object[] }>(sql, [pid])).rows.length === 0 || undefined;
  });
  // The one that was under way when it ended may fail, as any on a broken connection.
  const after = await until('another connection', () => pidOf(database).catch(() => undefined));
  expect(after).not.toBe(pid);
});

test('D4: after a failover the pool lets go of the server that takes no writes', async () => {
  const database = fixture.connect();
  const pid = await pidOf(database);
  await database.raw('set session characteristics as transaction read only');
  const write = () => guard(async () => void (await database.raw('create table of_primary ()')));
  await expect(write()).rejects.toMatchObject({ detail: 'The database takes no writes.' });
  await write();
  expect(await pidOf(database)).not.toBe(pid);
});

test('D5: a migration that changes a column under a prepared statement costs one repetition', async () => {
  const database = fixture.connect();
  await database.raw('create table changed as select 1 as n');
  const read = () => guard(async () => (await named(database, 'select * from changed')).rows);
  expect(await read()).toEqual([{ n: 1 }]);
  await fixture.database.raw('alter table changed alter n type text, add column more text');
  expect(await read()).toEqual([{ n: '1', more: null }]);
});

test('D6: a prepared statement that the server does not know any more costs one repetition', async () => {
  const database = fixture.connect();
  const read = () => guard(async () => (await named(database, 'select 2 as n')).rows);
  expect(await read()).toEqual([{ n: 2 }]);
  await database.raw('deallocate all');
  expect(await read()).toEqual([{ n: 2 }]);
});

test('D7: limits of the role do not end a migration', async () => {
  const empty = await createEmptyDatabase();
  const database = openDatabase({ url: empty.url, applicationName: 'test', poolMax: 1, limits: patientLimits });
  for (const name of ['statement_timeout', 'transaction_timeout'])
    await database.raw(
      `do $$ begin if current_setting('${name}', true) is not null then execute format('alter database %I set ${name} = 1000', current_database()); end if; end $$`,
    );
  // A session from before the limits, which keeps the migration waiting for longer than they allow.
  const holder = await database.transaction();
  await holder.raw(`select pg_advisory_xact_lock(hashtext('sluice.migrate'))`);
  const migrated = migrateDatabase(empty.url, { waitMs: 60_000 });
  await Promise.race([migrated, sleep(1_500)]);
  await holder.rollback();
  expect((await migrated).length).toBeGreaterThan(0);
  await database.destroy();
  await empty.drop();
});

test('D8: no connection left is said with its remedy, and passes', async () => {
  const role = `sluice_report_${randomUUID().replaceAll('-', '')}`;
  await fixture.database.raw(`create role ${role} login password 'any' connection limit 0`);
  await fixture.database.raw(`grant select on knex_migrations to ${role}`);
  const url = Object.assign(new URL(fixture.url), { username: role, password: 'any' }).toString();
  const store = createStore({ url, applicationName: 'test', poolMax: 1, limits: patientLimits });
  expect(await store.health()).toEqual({
    reason: 'refuses for now (SQLSTATE 53300)',
    remedy: expect.stringContaining('max_connections'),
  });
  await fixture.database.raw(`alter role ${role} connection limit 1`);
  expect(await store.health()).toBeUndefined();
  await store.close();
  await fixture.database.raw(`drop owned by ${role}`);
  await fixture.database.raw(`drop role ${role}`);
});

test('D9: a database that sorts otherwise, and by a library that has changed, keeps its keys', async () => {
  const name = `sluice_test_${randomUUID().replaceAll('-', '')}`;
  const collation = `template template0 locale_provider icu icu_locale 'sv-SE-u-kn' locale 'C'`;
  await fixture.database.raw(`create database ${name} ${collation}`);
  // Only an administrator can.
  const older = `update pg_database set datcollversion = '1.1' where datname = ?`;
  await fixture.database.raw(older, [name]).catch(() => undefined);
  const url = Object.assign(new URL(fixture.url), { pathname: name }).toString();
  await migrateDatabase(url, { waitMs: 60_000 });
  const store = createStore({ url, applicationName: 'test', limits: patientLimits });
  const { id: projectId } = await store.projects.create({ name: 'p', appName: 'a', orgId: 'o' });
  const refs = ['ab10', 'ab2', 'Ab', 'å', 'z', 'ä', 'a\u030a'];
  const labels = async () => {
    for (const label of refs)
      await store.apiKeys.create({ projectId, label, scopes: ['full'], secret: `secret ${label}` });
    const shown: string[] = [];
    for (let after: string | undefined; ;) {
      const { items, lastId } = await store.apiKeys.listPage(projectId, true, { size: 2, after });
      shown.push(...items.map(({ label }) => label));
      if (lastId === undefined) return shown;
      after = lastId;
    }
  };
  expect((await labels()).toSorted()).toEqual(refs.toSorted());
  await store.close();
  await fixture.database.raw(`drop database ${name} with (force)`);
});

test('D10: a NUL and half a character in a field come back as they were accepted', async () => {
  const plan = JSON.stringify({ fields: { note: 'a\u0000b', half: '\ud800' } });
  const { operation, records } = fixture.asynchronous();
  await fixture.store.writes.accept([{ operation, records: records.map((record) => ({ ...record, plan })) }]);
  const call = await fixture.claimOne();
  expect((await fixture.store.writes.loadPending(call)).map((record) => record.plan)).toEqual([plan]);
  await fixture.settleAll(call);
});

test('D11: a key of the longest kind fits its index', async () => {
  // The longest name of an object, of four bytes a character, and the longest id of a record, of three.
  const anyOf = (from: number) => Array.from({ length: 255 }, () => String.fromCodePoint(from + randomInt(0x2000)));
  const recordId = `${anyOf(0x20_000).join('')}/${anyOf(0x4e00).join('')}`;
  const write = fixture.asynchronous({ type: 'update', records: [{ recordId }] });
  await fixture.store.writes.accept([write]);
  const call = await fixture.claimOne();
  expect(call.operationId).toBe(write.operation.id);
  await fixture.settleAll(call);
});

test('D12: more values than a statement takes parameters, and their count is a number', async () => {
  const { projectId } = fixture.seeded;
  // 25 values each.
  await fixture.store.writes.accept(Array.from({ length: 3_000 }, () => fixture.asynchronous()));
  const counted = await fixture.store.writes.countBacklog([{ projectId, groupRefs: [] }], 10_000);
  expect(counted.get(projectId)?.writes).toBe(3_000);
});

test('D13: moments are read whatever the database calls a date', async () => {
  await alter(`datestyle to ''SQL, DMY''`);
  const database = fixture.connect();
  const sql = `select '2026-04-03T10:00:00Z'::timestamptz as at`;
  const { rows } = await database.raw<{ rows: [{ at: Date }] }>(sql);
  expect(rows[0].at).toEqual(new Date('2026-04-03T10:00:00Z'));
});
