import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createStore, migrateDatabase, migrations, openDatabase, type ClaimedCall, type Store } from '@sluice/store';
import { createEmptyDatabase, patientLimits, type ClonedDatabase } from '@sluice/testkit';

// A database of version 0.1.0 with work in every state (`upgrade/make-dump.mjs`) is brought to this version, and its work is finished: nothing is
// lost, nothing is doubled, and every operation can be read.

type Database = ReturnType<typeof openDatabase>;

interface StoredRecord {
  readonly operation_id: string;
  readonly record_index: number;
  readonly outcome: string;
}

/** In which call a record was, and until when it was to be tried again, as version 0.1.0 stored it. */
interface Planned {
  readonly call_number: number | null;
  readonly retry_until: Date | null;
}

interface Sent {
  readonly operation_id: string;
  readonly call_number: number;
  readonly fence: string;
  readonly record_indexes: readonly number[];
  readonly sent_at: Date;
  readonly finished_at: Date | null;
}

let clone: ClonedDatabase;
let database: Database;
let store: Store;
let before: (StoredRecord & Planned)[];
let sentBefore: Sent[];

beforeAll(async () => {
  clone = await createEmptyDatabase();
  database = openDatabase({ url: clone.url, applicationName: 'test', poolMax: 1, limits: patientLimits });
  await loadDump();
  before = await database<StoredRecord & Planned>('records').select('*');
  sentBefore = await readSent('attempts');
  await migrateDatabase(clone.url);
  store = createStore({ url: clone.url, applicationName: 'test', poolMax: 4, limits: patientLimits });
});
afterAll(async () => {
  await store?.close();
  await database?.destroy();
  await clone?.drop();
});

const readSent = (table: string) =>
  database(table)
    .orderBy(['operation_id', 'call_number', 'fence'])
    .select<Sent[]>('operation_id', 'call_number', 'fence', 'record_indexes', 'sent_at', 'finished_at');
const readRecords = () =>
  database('records as r')
    .leftJoin('record_outcomes as e', { 'e.operation_id': 'r.operation_id', 'e.record_index': 'r.record_index' })
    .select<StoredRecord[]>('r.operation_id', 'r.record_index', 'e.outcome');
const keyOf = (row: Pick<StoredRecord, 'operation_id' | 'record_index'>) => `${row.operation_id}/${row.record_index}`;

async function loadDump(): Promise<void> {
  const all = migrations as (typeof migrations)[number][];
  const added = all.splice(all.findIndex(({ name }) => name.includes('-contract-')));
  try {
    await migrateDatabase(clone.url);
    // As 0.1.0 noted it.
    await database('knex_migrations').update({ name: '20261124T000000-free-names-of-keys' });
  } finally {
    all.push(...added);
  }
  const file = join(__dirname, 'upgrade', 'version-0.1.0.json.gz');
  const dump = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Record<string, object[]>;
  for (const [table, rows] of Object.entries(dump)) {
    await database.raw('insert into ?? select * from json_populate_recordset(null::??, ?::json)', [
      table,
      table,
      JSON.stringify(rows),
    ]);
  }
  await database.raw(`select setval('accept_seq', (select max(accept_seq) from records))`);
}

/** Whoever waits for a moment waits no longer. */
async function passTime(): Promise<void> {
  await database('calls').update({
    not_before: database.fn.now(),
    lease_until: database.raw(`lease_until - interval '1 day'`),
  });
  await database('open_batches').update({ due_at: new Date(0) });
}

async function sealAll(connectionId: string): Promise<number> {
  const due = await store.writes.findDueBatches(100);
  for (const key of due) {
    const sealing = await store.writes.seal(key, (records) => [
      { number: 1, connectionId, recordIndexes: records.map(({ index }) => index), planBytes: 1_000 },
    ]);
    expect(sealing.kind).toBe('sealed');
  }
  return due.length;
}

/** Records that were settled, each once for every time that it was. */
const settled: string[] = [];

async function settleAll(call: ClaimedCall): Promise<void> {
  const pending = await store.writes.loadPending(call);
  const answers = await store.writes.settle([
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

it('every operation can be read as soon as the schema is there', async () => {
  const operations = await database<{ project_id: string; id: string }>('operations').select('project_id', 'id');
  expect(operations.length).toBeGreaterThan(20);
  for (const { project_id: projectId, id } of operations) {
    const records = await store.operations.listRecords(projectId, id);
    expect(records.length).toBeGreaterThan(0);
    expect(await store.operations.find(projectId, id)).toMatchObject({ id });
    expect(await store.operations.readProgress(projectId, id)).toMatchObject({ records: { total: records.length } });
    expect(await store.operations.readHistory(projectId, id, { limit: 1_000 })).toContainEqual(
      expect.objectContaining({ kind: 'accepted' }),
    );
    const explained = await store.operations.explain(projectId, id, { size: 100 });
    const planned = before.filter((row) => row.operation_id === id).toSorted((a, b) => a.record_index - b.record_index);
    expect(explained?.records.map(({ call, retryUntil }) => [call, retryUntil])).toEqual(
      planned.map((row) => [row.call_number ?? undefined, row.retry_until?.toISOString()]),
    );
  }
  const [{ project_id: projectId } = { project_id: '' }] = operations;
  expect(await store.operations.search(projectId, { status: 'failure' }, { size: 100 })).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ status: 'failure' })]),
  });
});

it('what was being sent stands in its call, every other attempt has its row, and all are shown', async () => {
  const unanswered = sentBefore.filter(({ finished_at: finishedAt }) => finishedAt === null);
  expect(unanswered).toHaveLength(3);
  expect(await readSent('sent_attempts')).toEqual(sentBefore);
  expect(await readSent('attempts')).toEqual(sentBefore.filter((sent) => !unanswered.includes(sent)));
  const sending = await database('calls').whereNotNull('sent_members').orderBy('operation_id').select('operation_id');
  expect(sending.map((call: { operation_id: string }) => call.operation_id)).toEqual(
    unanswered.map((sent) => sent.operation_id),
  );
});

it('open batches take records, what is full or cancelled is closed, and all work ends, once', async () => {
  const connection = await database<{ id: string }>('connections').first('id');
  const open = await database('open_batches')
    .where({ is_open: true })
    .orderBy('records')
    .select('object_name', 'records');
  expect(open).toEqual([
    { object_name: 'notes', records: 1 },
    { object_name: 'contacts', records: 5 },
    { object_name: 'contacts', records: 12 },
  ]);
  const closed = await database('closed_batches').orderBy('records').select('records');
  expect(closed).toEqual([{ records: 7 }, { records: 100 }]);
  await passTime();
  expect(await sealAll(connection?.id ?? '')).toBe(5);
  await finish();
  const pending = before.filter(({ outcome }) => outcome === 'pending').map(keyOf);
  expect(settled.toSorted()).toEqual(pending.toSorted());
  const after = new Map((await readRecords()).map((row) => [keyOf(row), row.outcome]));
  expect(after.size).toBe(before.length);
  for (const row of before)
    expect([keyOf(row), after.get(keyOf(row))]).toEqual([
      keyOf(row),
      row.outcome === 'pending' ? 'succeeded' : row.outcome,
    ]);
  const sent = await readSent('attempts');
  expect(sent).toEqual(expect.arrayContaining(sentBefore));
  expect(sent).toEqual(await readSent('sent_attempts'));
  const left = await database('operations').whereNotIn('state', ['succeeded', 'failed']).orWhere('calls_open', '<>', 0);
  expect(left).toEqual([]);
  expect(await database('cancels').select()).toEqual([]);
  expect(await database('order_queue').select()).toEqual([]);
});
