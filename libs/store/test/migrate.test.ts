import { createEmptyDatabase, until, type ClonedDatabase } from '@sluice/testkit';
import { migrateDatabase, migrations, openDatabase } from '@sluice/store';

let empty: ClonedDatabase;
beforeEach(async () => {
  empty = await createEmptyDatabase();
});
afterEach(() => empty.drop());

const open = (poolMax: number) => openDatabase({ url: empty.url, applicationName: 'test', poolMax });

/** Three steps on two tables are taken back, as a release before them left these. */
const threeSteps = `name between '20261122T150000' and '20261122T153000'`;
const older = `
  drop index webhook_messages_state, webhook_messages_failed, webhook_endpoints_failing;
  alter table webhook_endpoints drop column held_until;
  delete from knex_migrations where ${threeSteps};
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
    await backup.raw('lock table webhook_endpoints in access share mode');
    const migrating = migrateDatabase(empty.url);
    const waiting = `select 1 from pg_locks where relation = 'webhook_endpoints'::regclass and not granted`;
    await until('a step waits for the table', async () => (await database.raw(waiting)).rowCount > 0 || undefined);
    // The steps before it are kept, and their tables free.
    await database.raw(`insert into webhook_messages select * from webhook_messages`);
    await database.raw('select 1 from webhook_endpoints');
    const noted = await database('knex_migrations').whereRaw(threeSteps).pluck('name');
    expect(noted).toEqual(['20261122T150000-index-messages-by-state']);
    await backup.rollback();
    expect((await migrating).slice(0, 2)).toEqual([
      '20261122T150000-index-messages-by-state',
      '20261122T151000-add-endpoint-hold',
    ]);
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
