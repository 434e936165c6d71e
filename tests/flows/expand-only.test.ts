import { migrations, openDatabase } from '@sluice/store';
import { createEmptyDatabase, type ClonedDatabase } from '@sluice/testkit';
import { contractions } from './upgrade/contractions';

/** The statements of each migration, as they reach an empty database. */
const statements = new Map<string, string[]>();
let empty: ClonedDatabase;
let database: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  empty = await createEmptyDatabase();
  database = openDatabase({ url: empty.url, poolMax: 1, applicationName: 'expand-only' });
  let current: string[] = [];
  database.on('query', ({ sql }: { sql: string }) => current.push(sql));
  for (const { name, up } of migrations) {
    current = [];
    statements.set(name, current);
    await up(database);
  }
});
afterAll(async () => {
  await database.destroy();
  await empty.drop();
});

// docs/guides/operate.md, "Upgrade": pods of the version before run on a schema that is newer, so a release only adds to it.
describe('migrations', () => {
  // One that takes away what no supported release uses any more says so in its name.
  it.each(migrations.filter(({ name }) => !name.includes('-contract-')))('$name only adds', ({ name }) => {
    expect(statements.get(name)?.length).toBeGreaterThan(0);
    expect(contractions(statements.get(name) ?? [])).toEqual([]);
  });
});

describe('what counts as taking away', () => {
  it.each([
    'drop table records',
    'alter table records drop column plan',
    'alter table records rename column plan to text',
    'alter table records rename to lines',
    'alter table records alter column plan type jsonb',
    'alter table records alter column plan set not null',
    'alter table "records" add column "region" text not null',
    'alter table records add column a text default 1, add column b text not null',
    'create unique index x on records (ref)',
    'drop index y; create unique index x on records (ref) where ref is not null',
    'drop index x; create unique index x on records (ref)',
    'alter table records add constraint x check (ref is not null)',
    'create index y on records (ref); delete from records',
  ])('%s', (sql) => expect(contractions([sql])).toHaveLength(1));

  it.each([
    'create table x (id text not null); create unique index y on x (id)',
    'alter table records add column a text',
    `alter table records add column a numeric(3, 1) not null default 1`,
    'create index y on records (ref)',
    'drop index y',
    'drop index x; create unique index x on records (ref) where not is_old',
    '-- drop table records\nselect 1',
    'alter table records set (autovacuum_vacuum_scale_factor = 0.01)',
  ])('not: %s', (sql) => expect(contractions([sql])).toEqual([]));
});
