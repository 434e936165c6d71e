import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createStore, migrateDatabase, migrations, openDatabase, type ClaimedCall, type Store } from '@sluice/store';
import { createEmptyDatabase, patientLimits, type ClonedDatabase } from '@sluice/testkit';

// A database of 0.2.0 with work in every state (`take-over/make-dump.mjs`) is taken over, and its work is finished: nothing is lost, nothing is doubled.
// The tests run in their order: what is refused leaves the database as it was loaded.

interface StoredRecord {
  readonly operation_id: string;
  readonly record_index: number;
  readonly outcome: string | null;
}

const baseline = migrations[0]?.name ?? '';
let clone: ClonedDatabase;
let database: ReturnType<typeof openDatabase>;
let store: Store;

beforeAll(async () => {
  clone = await createEmptyDatabase();
  database = openDatabase({ url: clone.url, applicationName: 'test', poolMax: 1, limits: patientLimits });
  const dump = gunzipSync(readFileSync(join(__dirname, 'take-over', 'version-0.2.0.sql.gz'))).toString();
  await database.raw(dump);
  // The dump empties it.
  await database.raw('set search_path = public');
  store = createStore({ url: clone.url, applicationName: 'test', poolMax: 4, limits: patientLimits });
});
afterAll(async () => {
  await store?.close();
  await database?.destroy();
  await clone?.drop();
});

const takeOver = () => migrateDatabase(clone.url, { from02: true });
const readNoted = () => database('knex_migrations').orderBy('id').pluck<string[]>('name');

describe('before it is taken over', () => {
  const remedy = expect.stringMatching(/Stop all services.*npm run migrate -- --from-0\.2.*migrate\.from02=true/);

  it('is refused by a migration without the flag and by services, which name it', async () => {
    await expect(migrateDatabase(clone.url)).rejects.toMatchObject({ code: 'service.unmigrated', remedy });
    await expect(store.assertMigrated()).rejects.toMatchObject({ code: 'service.unmigrated', remedy });
    expect((await store.health())?.reason).toBe('has not the schema of this version');
  });

  it('is refused while services are connected, with their names', async () => {
    const services = ['executor', 'batcher'].map((applicationName) =>
      openDatabase({ url: clone.url, applicationName }),
    );
    try {
      for (const service of services) await service.raw('select 1');
      await expect(takeOver()).rejects.toMatchObject({
        code: 'service.unavailable',
        detail: expect.stringContaining('these are: batcher, executor.'),
        remedy: expect.stringContaining('Stop all services'),
      });
    } finally {
      for (const service of services) await service.destroy();
    }
    const connected = `select 1 from pg_stat_activity where application_name in ('executor', 'batcher') and datname = current_database()`;
    for (let rows = 1; rows > 0;) ({ rowCount: rows } = await database.raw<{ rowCount: number }>(connected));
  });

  it('is refused when its schema is another, with each difference', async () => {
    await database.raw(`
      alter table calls alter column plan_kb type bigint;
      alter index calls_running rename to calls_that_run;
      create view of_somebody as select 1 as one`);
    await expect(takeOver()).rejects.toMatchObject({
      code: 'service.unmigrated',
      detail: [
        'The schema is not that of 0.2.0, and was left as it is:',
        'column calls.plan_kb is: bigint not null default 1; 0.2.0 has: integer not null default 1',
        `index calls_running is missing; 0.2.0 has: CREATE INDEX calls_running ON calls USING btree (lease_until) WHERE state = 'running'::text`,
        'index calls_that_run is not in 0.2.0',
        'view of_somebody is not in 0.2.0',
      ].join('\n  '),
      remedy: expect.stringContaining('Make each of these what 0.2.0 has'),
    });
    await database.raw(`
      drop view of_somebody;
      alter index calls_that_run rename to calls_running;
      alter table calls alter column plan_kb type integer`);
  });

  it('is refused when it is one of 0.1, which goes to 0.2.0 first', async () => {
    await database.raw(`update knex_migrations set name = 'x' || name where name like '20261128%'`);
    for (const from02 of [true, false]) {
      await expect(migrateDatabase(clone.url, { from02 })).rejects.toMatchObject({
        code: 'service.unmigrated',
        remedy: expect.stringContaining('Bring it to 0.2.0 with that version'),
      });
    }
    await database.raw(`update knex_migrations set name = substr(name, 2) where name like 'x%'`);
    expect(await readNoted()).toHaveLength(11);
  });
});

describe('taken over', () => {
  let before: StoredRecord[];
  beforeAll(async () => {
    before = await readRecords();
  });

  it('has another note of its steps, and everything else as it was; again and at once is harmless', async () => {
    const rowsBefore = await readRows();
    const taken = await Promise.all([takeOver(), takeOver()]);
    // Each takes steps as it gets their lock.
    const [takenOver, ...later] = taken.flat().toSorted();
    expect(takenOver).toBe(`${baseline} (taken over from 0.2.0)`);
    expect(await takeOver()).toEqual([]);
    expect(await migrateDatabase(clone.url)).toEqual([]);
    expect(await readNoted()).toEqual([baseline, ...later]);
    expect(await readRows()).toMatchObject(rowsBefore);
    await store.assertMigrated();
  });

  it('shows every operation, and all of its work ends, once', async () => {
    const operations = await database('operations').select<{ project_id: string; id: string }[]>('project_id', 'id');
    expect(operations.length).toBeGreaterThan(20);
    for (const { project_id: projectId, id } of operations) {
      expect(await store.operations.find(projectId, id)).toMatchObject({ id });
      expect((await store.operations.listRecords(projectId, id)).length).toBeGreaterThan(0);
    }
    await passTime();
    expect(await sealAll()).toBe(5);
    await finish();
    const keyOf = (row: StoredRecord) => `${row.operation_id}/${row.record_index}`;
    const open = before.filter(({ outcome }) => outcome === null);
    expect(open.length).toBeGreaterThan(100);
    expect(settled.toSorted()).toEqual(open.map(keyOf).toSorted());
    const ended = before.map((row) => ({ ...row, outcome: row.outcome ?? 'succeeded' }));
    expect(await readRecords()).toEqual(ended);
    const left = database('operations').whereNotIn('state', ['succeeded', 'failed']).orWhere('calls_open', '<>', 0);
    expect(await left).toEqual([]);
    expect(await database('cancels').select()).toEqual([]);
    expect(await database('order_queue').select()).toEqual([]);
  });
});

const readRecords = () =>
  database('records as r')
    .leftJoin('record_outcomes as e', { 'e.operation_id': 'r.operation_id', 'e.record_index': 'r.record_index' })
    .orderBy(['r.operation_id', 'r.record_index'])
    .select<StoredRecord[]>('r.operation_id', 'r.record_index', 'e.outcome');

/** Of each table its rows; a later step may add columns. */
async function readRows(): Promise<Record<string, object[]>> {
  const names = await database('pg_tables').where({ schemaname: 'public' }).orderBy('tablename').pluck('tablename');
  const rows: Record<string, object[]> = {};
  for (const name of names.filter((table: string) => !table.startsWith('knex'))) {
    const { rows: found } = await database.raw<{ rows: { row: object }[] }>(
      'select to_jsonb(t) as row from ?? t order by t::text',
      [name],
    );
    rows[name] = found.map(({ row }) => row);
  }
  return rows;
}

/** Whoever waits for a moment waits no longer. */
async function passTime(): Promise<void> {
  await database('calls').update({
    not_before: database.fn.now(),
    lease_until: database.raw(`lease_until - interval '1 day'`),
  });
  await database('open_batches').update({ due_at: new Date(0) });
}

async function sealAll(): Promise<number> {
  const connection = await database<{ id: string }>('connections').first('id');
  const due = await store.writes.findDueBatches(100);
  for (const key of due) {
    const sealing = await store.writes.seal(key, (records) => [
      {
        number: 1,
        connectionId: connection?.id ?? '',
        recordIndexes: records.map(({ index }) => index),
        planBytes: 1_000,
      },
    ]);
    expect(sealing.kind).toBe('sealed');
  }
  return due.length;
}

/** Records that were settled, each once for every time that it was. */
const settled: string[] = [];

async function settleAll(call: ClaimedCall): Promise<void> {
  const pending = await store.writes.loadPending(call);
  const { answers } = await store.writes.settle([
    {
      ...call,
      isCreate: call.type === 'create',
      attempt: { status: 200, durationMs: 1 },
      records: pending.map(({ index }) => ({ index, kind: 'succeeded', providerId: `${call.operationId}-${index}` })),
      next: { state: 'done' },
      orderKeys: pending.flatMap(({ orderKey }) => orderKey ?? []),
    },
  ]);
  expect([...answers.values()]).toMatchObject([{ isHeld: true }]);
  settled.push(...pending.map(({ index }) => `${call.operationId}/${index}`));
}

async function finish(): Promise<void> {
  const lanes = await database<{ project_id: string; id: string }>('lanes').select('project_id', 'id');
  const request = {
    lanes: lanes.map((lane) => ({ projectId: lane.project_id, laneId: lane.id })),
    owner: 'test',
    limit: 100,
    perLane: 100,
    leaseMs: 60_000,
    isolated: false,
  };
  for (let idle = 0; idle < 2;) {
    await passTime();
    const lapsed = await store.writes.lapse(100);
    const { found } = await store.writes.claimCancelled({ owner: 'test', leaseMs: 60_000, limit: 100 });
    const { calls } = await store.writes.claim(request);
    for (const call of [...found, ...calls] as ClaimedCall[]) await settleAll(call);
    idle = calls.length + found.length + lapsed.length === 0 ? idle + 1 : 0;
  }
}
