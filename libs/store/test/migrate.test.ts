import { createEmptyDatabase, until, type ClonedDatabase } from '@sluice/testkit';
import { migrateDatabase, migrations, openDatabase } from '@sluice/store';

let empty: ClonedDatabase;
beforeEach(async () => {
  empty = await createEmptyDatabase();
});
afterEach(() => empty.drop());

const open = (poolMax: number) => openDatabase({ url: empty.url, applicationName: 'test', poolMax });

/** Two steps on two tables are taken back, as a release before them left these. */
const twoSteps = `name in ('20261126T140000-create-minutes', '20261126T180000-index-what-waits')`;
const older = `
  drop table minutes, backlog_minutes, process_minutes;
  delete from knex_migrations where ${twoSteps};
`;

it('applies every step once, from two processes at the same time', async () => {
  const applied = await Promise.all([migrateDatabase(empty.url), migrateDatabase(empty.url)]);
  expect(applied.flat().sort()).toEqual(migrations.map(({ name }) => name).sort());
  expect(await migrateDatabase(empty.url)).toEqual([]);
});

it('holds nobody up while a backup reads a table, and continues when it has ended', async () => {
  await migrateDatabase(empty.url);
  const database = open(3);
  try {
    await database.raw(older);
    const backup = await database.transaction();
    await backup.raw('lock table calls in access share mode');
    const migrating = migrateDatabase(empty.url);
    const waiting = `select 1 from pg_locks where relation = 'calls'::regclass and not granted`;
    await until('a step waits for the table', async () => (await database.raw(waiting)).rowCount > 0 || undefined);
    // The steps before it are kept, and their tables free.
    await database.raw(`insert into minutes select * from minutes`);
    await database.raw('select 1 from calls');
    const noted = await database('knex_migrations').whereRaw(twoSteps).pluck('name');
    expect(noted).toEqual(['20261126T140000-create-minutes']);
    await backup.rollback();
    expect(await migrating).toEqual(['20261126T140000-create-minutes', '20261126T180000-index-what-waits']);
  } finally {
    await database.destroy();
  }
});

it('refuses a database of a version before 0.1.0, and leaves it as it is', async () => {
  const database = open(1);
  try {
    await database.raw('create table projects (id text primary key)');
    await expect(migrateDatabase(empty.url)).rejects.toMatchObject({
      code: 'service.unmigrated',
      remedy: expect.stringContaining('Bring it to 0.1.0'),
    });
    expect(await database.schema.hasTable('knex_migrations')).toBe(false);
    expect(await database.schema.hasTable('operations')).toBe(false);
  } finally {
    await database.destroy();
  }
});

it('takes nothing away while a service of the version before is connected', async () => {
  await migrateDatabase(empty.url);
  const database = open(1);
  const name = '20990101T000000-contract-nothing';
  const contraction = { name, up: () => Promise.resolve() };
  const service = openDatabase({ url: empty.url, applicationName: 'batcher', poolMax: 1 });
  (migrations as (typeof contraction)[]).push(contraction);
  try {
    await service.raw('select 1');
    await expect(migrateDatabase(empty.url)).rejects.toMatchObject({
      detail: expect.stringContaining(
        `${name} takes away what the version before uses, and services are connected: batcher.`,
      ),
      remedy: expect.stringContaining('Stop all services'),
    });
    expect(await database('knex_migrations').where({ name })).toEqual([]);
    await service.destroy();
    await until(
      'it is gone',
      async () =>
        (
          await database.raw(`select 1 from pg_stat_activity where application_name = 'batcher'
      and datname = current_database()`)
        ).rowCount === 0 || undefined,
    );
    expect(await migrateDatabase(empty.url)).toEqual([name]);
  } finally {
    (migrations as (typeof contraction)[]).pop();
    await service.destroy();
    await database.destroy();
  }
});
