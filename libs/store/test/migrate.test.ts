import { createEmptyDatabase, until, type ClonedDatabase } from '@sluice/testkit';
import { migrateDatabase, migrations, openDatabase } from '@sluice/store';

let empty: ClonedDatabase;
beforeEach(async () => {
  empty = await createEmptyDatabase();
});
afterEach(() => empty.drop());

const open = (poolMax: number) => openDatabase({ url: empty.url, applicationName: 'test', poolMax });

it('applies every step once, from two processes at the same time', async () => {
  const applied = await Promise.all([migrateDatabase(empty.url), migrateDatabase(empty.url)]);
  expect(applied.flat().sort()).toEqual(migrations.map(({ name }) => name).sort());
  expect(await migrateDatabase(empty.url)).toEqual([]);
});

it('holds nobody up while a backup reads a table, and continues when it has ended', async () => {
  await migrateDatabase(empty.url);
  const database = open(3);
  const steps = migrations as (typeof migrations)[number][];
  const step = (name: string, sql: string) => ({
    name,
    up: async (knex: typeof database) => void (await knex.raw(sql)),
  });
  const names = ['20990101T000000-add-a-table', '20990102T000000-add-a-column'] as const;
  steps.push(step(names[0], 'create table added (id text primary key)'));
  steps.push(step(names[1], 'alter table calls add column added text'));
  try {
    const backup = await database.transaction();
    await backup.raw('lock table calls in access share mode');
    const migrating = migrateDatabase(empty.url);
    const waiting = `select 1 from pg_locks where relation = 'calls'::regclass and not granted`;
    await until('a step waits for the table', async () => (await database.raw(waiting)).rowCount > 0 || undefined);
    // The step before it is kept, and its table free.
    await database.raw(`insert into added values ('a')`);
    await database.raw('select 1 from calls');
    expect(await database('knex_migrations').whereIn('name', names).pluck('name')).toEqual([names[0]]);
    await backup.rollback();
    expect(await migrating).toEqual(names);
  } finally {
    steps.splice(-2);
    await database.destroy();
  }
});

it('refuses a database that has tables of somebody else, and leaves it as it is', async () => {
  const database = open(1);
  try {
    await database.raw('create table projects (id text primary key)');
    await expect(migrateDatabase(empty.url)).rejects.toMatchObject({
      code: 'service.unmigrated',
      remedy: expect.stringContaining('begin with an empty database'),
    });
    expect(await database.schema.hasTable('knex_migrations')).toBe(false);
    expect(await database.schema.hasTable('operations')).toBe(false);
  } finally {
    await database.destroy();
  }
});
