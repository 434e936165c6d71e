import { cloneDatabase, patientLimits, type ClonedDatabase } from '@sluice/testkit';
import { silentLogger } from '@sluice/telemetry';
import { types } from 'pg';
import { openDatabase } from '../src/database';
import { healthOf, migrate } from '../src/migrate';
import { lostInPooler, readers, type SettingRow } from '../src/session';
import { createStore } from '../src/store';

let clone: ClonedDatabase;
beforeEach(async () => {
  clone = await cloneDatabase();
});
afterEach(() => clone.drop());

const optionsOf = () => ({ url: clone.url, applicationName: 'settings-test', limits: patientLimits, poolMax: 2 });

/** With sessions as they begin before anything of ours is set. */
async function alter(setting: string): Promise<void> {
  const database = openDatabase({ ...optionsOf(), poolMax: 1 });
  try {
    // Also where transactions are read-only.
    await database.raw('set default_transaction_read_only = off');
    const statement = `alter database %I set ${setting.replaceAll("'", "''")}`;
    await database.raw(`do $$ begin execute format('${statement}', current_database()); end $$`);
  } finally {
    await database.destroy();
  }
}

/** What a builder does first, and what is shown of it. */
async function useStore() {
  const store = createStore(optionsOf());
  try {
    await store.assertMigrated();
    const project = await store.projects.create({ name: 'a "quoted" \\ name', appName: 'app', orgId: 'org' });
    const key = { projectId: project.id, label: 'back\\slash', scopes: ['write'], secret: 'sk_1' } as const;
    const apiKey = await store.apiKeys.create({ ...key, scopes: [...key.scopes] });
    const found = await store.projects.find(project.id);
    return { project, apiKey, found };
  } finally {
    await store.close();
  }
}

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

it.each([
  `datestyle to 'German'`,
  `datestyle to 'SQL, DMY'`,
  `datestyle to 'Postgres, YMD'`,
  `timezone to 'Asia/Kathmandu'`,
  `intervalstyle to 'sql_standard'`,
  `bytea_output to 'escape'`,
  `extra_float_digits to -15`,
  `array_nulls to off`,
  `transform_null_equals to on`,
  `default_transaction_isolation to 'serializable'`,
  `lc_messages to 'de_DE.UTF-8'`,
  `synchronous_commit to off`,
])('with %s everything is stored and shown as without it', async (setting) => {
  // A server without that language keeps its own.
  await alter(setting).catch((error: unknown) => {
    if (!String(error).includes('lc_messages')) throw error;
  });
  const { project, apiKey, found } = await useStore();
  expect(found).toEqual(project);
  expect(project).toMatchObject({ name: 'a "quoted" \\ name', createTime: iso });
  expect(apiKey).toMatchObject({ label: 'back\\slash', createTime: iso });
});

it('brings every setting to what we rely on, on each connection', async () => {
  for (const setting of ['datestyle to german', 'array_nulls to off', 'synchronous_commit to off', 'jit to on'])
    await alter(setting);
  const database = openDatabase(optionsOf());
  const names = ['datestyle', 'array_nulls', 'synchronous_commit', 'jit', 'standard_conforming_strings', 'timezone'];
  const show = async () =>
    (
      await database.raw<{ rows: [object] }>(
        `select ${names.map((name) => `current_setting('${name}') as ${name}`).join()}`,
      )
    ).rows[0];
  const shown = await Promise.all([show(), show()]);
  await database.destroy();
  const [one] = shown;
  expect(one).toEqual({
    datestyle: 'ISO, MDY',
    array_nulls: 'on',
    synchronous_commit: 'on',
    jit: 'off',
    standard_conforming_strings: 'on',
    timezone: 'UTC',
  });
  expect(shown[1]).toEqual(one);
});

// How many standbys have a commit is the operator's choice.
it('leaves a stronger durability as it is', async () => {
  await alter('synchronous_commit to remote_apply');
  const database = openDatabase(optionsOf());
  const { rows } = await database.raw<{ rows: object[] }>('show synchronous_commit');
  await database.destroy();
  expect(rows).toEqual([{ synchronous_commit: 'remote_apply' }]);
});

it.each([
  [`search_path to ''`, /search_path .* "", leaves out the schema public/],
  ['search_path to nowhere', /search_path .*nowhere.*leaves out the schema public/],
])('with %s the start and the migration are refused, by its name', async (setting, text) => {
  await alter(setting);
  const refusal = { detail: expect.stringMatching(text), remedy: expect.stringContaining('set search_path = public') };
  await expect(useStore()).rejects.toMatchObject(refusal);
  const database = openDatabase(optionsOf());
  await expect(migrate(database)).rejects.toMatchObject(refusal);
  const { rows } = await database.raw<{ rows: object[] }>(
    `select 1 from pg_tables where tablename = 'knex_migrations'`,
  );
  await database.destroy();
  expect(rows).toHaveLength(1);
});

it('with read-only transactions the start is refused, and a running service is not ready', async () => {
  const database = openDatabase(optionsOf());
  const before = await healthOf(database);
  await alter('default_transaction_read_only to on');
  await expect(useStore()).rejects.toMatchObject({
    detail: expect.stringMatching(/takes no writes: default_transaction_read_only is on\.$/),
    remedy: expect.stringContaining('default_transaction_read_only'),
  });
  await database.destroy();
  const later = openDatabase({ ...optionsOf(), logger: silentLogger });
  const after = await healthOf(later);
  await later.destroy();
  expect([before, after?.reason]).toEqual([undefined, 'takes no writes']);
});

describe('what nothing can set', () => {
  const row: SettingRow = { name: 'array_nulls', value: 'on', keeper: 'role', reset_val: 'off', pid: 7 };

  it('a pooler that would lose a setting is refused by its name; a connection of our own is not', () => {
    expect(lostInPooler([row], 7)).toBeUndefined();
    expect(lostInPooler([{ ...row, keeper: 'carried' }], 8)).toBeUndefined();
    expect(lostInPooler([row], 8)).toMatchObject({
      detail: expect.stringContaining(`array_nulls = 'off'`),
      remedy: expect.stringContaining(`set array_nulls = 'on'`),
    });
  });

  it.each(['28.11.2026 10:00:00.5 UTC', '03/04/2026 10:00:00 UTC', 'Sat 28 Nov 10:00:00 2026 UTC'])(
    'a moment as %s is a defect, and no value that is left out',
    (text) => expect(() => readers.getTypeParser(types.builtins.TIMESTAMPTZ)(text)).toThrow(/moment/),
  );

  it('fails the statement, and the connection goes on', async () => {
    const database = openDatabase({ ...optionsOf(), poolMax: 1 });
    await database.raw('set datestyle = german');
    await expect(database.raw('select now() as at')).rejects.toMatchObject({ code: 'service.defect' });
    await expect(database.raw('select 1 as one')).resolves.toMatchObject({ rows: [{ one: 1 }] });
    await database.destroy();
  });
});
