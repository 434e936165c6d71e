import {
  type BatchableWrite,
  type ClaimedCall,
  type LaneKey,
  type Settlement,
  type SynchronousWrite,
} from '@sluice/store';
import { fillBacklog, patientLimits, type SeededInstallation } from '@sluice/testkit';
import { knex, type Knex } from 'knex';
import { connectionStore } from '../src/connections/connection-store';
import { findManyCredentials } from '../src/connections/connection-tokens';
import { openDatabase } from '../src/database';
import { nowhere } from '../src/failpoints';
import { configStore } from '../src/installations/config-store';
import { installationStore } from '../src/installations/installation-store';
import { deleteEnded } from '../src/operations/delete-operations';
import { insertAccepted } from '../src/writes/accept-writes';
import { claimReady } from '../src/writes/claim-calls';
import { claimCancelled } from '../src/writes/claim-cancelled';
import { findReadyLanes } from '../src/writes/find-ready-lanes';
import { insertIntoBatch } from '../src/writes/join-batch';
import { lapse } from '../src/writes/leases';
import { loadPending } from '../src/writes/load-records';
import { insertSynchronous } from '../src/writes/open-synchronous';
import { repairOrder } from '../src/writes/order-queue';
import { claimOverdue } from '../src/writes/overdue';
import { insertIntents } from '../src/writes/record-intents';
import { sampleLanes } from '../src/writes/sample-lanes';
import { settleWhole } from '../src/writes/settle';
import { settleTogether } from '../src/writes/settle-calls';
import { findIsolated, purgePlans } from '../src/writes/sweeps';
import { rowsRead } from './rows-read';
import { createWriteFixture, type WriteFixture } from './write-fixture';

const waiting = 200_000;
const customers = 5_000;

let fixture: WriteFixture;
/** One connection, whose plans are never renewed. A statement may take six times as long as in a service: the machine may be busy. */
let database: Knex;
/** For what a test arranges. */
let patient: Knex;
/** A few of those that have half of the calls. */
let lanes: readonly LaneKey[];
/** The last call of the lane that has the other half. */
let last: string;

const request = { owner: 'test', limit: 64, perLane: 4, leaseMs: 60_000, isolated: false };
const ending = { owner: 'test', leaseMs: 60_000, limit: 100 };
const step = { limit: 100 };
const options = { timeScale: 1 };
const page = { size: 100 };
const claim = async (inside: Knex, from: readonly LaneKey[]) => [
  ...(await claimReady(inside, { ...request, lanes: from })).calls,
];
const repeat = <T>(write: (at: number) => T): T[] => Array.from({ length: 50 }, (_, at) => write(at));
const installations = (inside: Knex) => installationStore(inside, nowhere);

beforeAll(async () => {
  fixture = await createWriteFixture();
  patient = openDatabase({ url: fixture.url, applicationName: 'test', poolMax: 1, limits: patientLimits });
  const tables = await patient('pg_tables')
    .where({ schemaname: 'public' })
    .select<{ tablename: string }[]>('tablename');
  for (const { tablename } of tables) await patient.raw('alter table ?? set (autovacuum_enabled = off)', [tablename]);
  const connection = { connectionString: fixture.url, statement_timeout: 30_000 };
  database = knex({ client: 'pg', connection, pool: { min: 1, max: 1 } });
  await database.raw('set jit = off');
  await multiplyCustomers();
  const half = { calls: waiting / 2 };
  const { laneIds } = await fillBacklog(fixture.url, fixture.seeded, { ...half, lanes: waiting / 20 });
  await fillBacklog(fixture.url, fixture.seeded, half);
  lanes = laneIds.slice(0, 16).map((laneId) => ({ projectId: fixture.seeded.projectId, laneId }));
  const ofLane = patient('calls').where({ lane_id: fixture.lane.laneId });
  ({ operation_id: last } = await ofLane.max('operation_id as operation_id').first<{ operation_id: string }>());
  // Statistics and plans are of a moment at which four calls waited, as after a quiet hour.
  await patient.raw('create table hidden as table order_queue');
  await patient.raw(
    'create table first as select operation_id from calls where lane_id = ? order by operation_id limit 4',
    [fixture.lane.laneId],
  );
  const isHidden = 'operation_id not in (select operation_id from first)';
  await patient('calls').whereRaw(isHidden).update({ state: 'done' });
  await patient('order_queue').whereRaw(isHidden).delete();
  await patient.raw('vacuum (full, analyze) calls, order_queue');
  await database.raw('set plan_cache_mode = force_generic_plan');
  for (const [, , work] of works) await rowsRead(database, work);
  // Each is overdue by another time, and a share of the lane waits behind nothing, which the repair of the order finds.
  await patient.raw(
    `update calls set deadline = now() - random() * interval '1 day',
       state = case when lane_id = :lane and operation_id <> :last and right(operation_id, 1) < '4' then 'waiting' else 'ready' end
     where ${isHidden}`,
    { lane: fixture.lane.laneId, last },
  );
  await patient.raw(`insert into order_queue select * from hidden where ${isHidden}`);
}, 600_000);
afterAll(async () => {
  await patient.destroy();
  await database.destroy();
  await fixture.close();
});

/** What each finds is of 64 calls of 16 lanes, 4 of one lane, 100 of a step. */
const works: readonly (readonly [what: string, found: number, work: (inside: Knex) => Promise<unknown[]>])[] = [
  ['a claim from many lanes', 64, (inside) => claim(inside, lanes)],
  ['a claim from one lane', 4, (inside) => claim(inside, [fixture.lane])],
  ['a claim where a refused connection holds back all but one call', 1, claimOfRefused],
  ['the send and the end of calls that are all of their operation', 64, sendAndSettle],
  ['the end of calls that hold back others', 4, settleHolding],
  ['the send and the end of updates that are all of their operation', 4, sendAndSettleUpdates],
  ['the opening of an update', 1, async (inside) => [await insertSynchronous(inside, opened(), 1)]],
  [
    'an accept',
    1,
    async (inside) => [
      await insertAccepted(
        inside,
        repeat(() => fixture.asynchronous()),
        1,
      ),
    ],
  ],
  ['a join', 1, async (inside) => [await insertIntoBatch(inside, repeat(ofCustomer), options)]],
  ['a step of the sweep of ready lanes', 100, async (inside) => [...(await findReadyLanes(inside, step)).found]],
  ['a step of the sample of lanes', 100, async (inside) => [...(await sampleLanes(inside, step)).found]],
  ['a step of the repair of the order', 100, async (inside) => [...(await repairOrder(inside, step)).found]],
  ['a step over overdue calls', 0, async (inside) => [...(await claimOverdue(inside, ending)).found]],
  ['the lapse of leases', 0, async (inside) => [...(await lapse(inside, 1_000))]],
  ['the search for cancelled operations', 1, async (inside) => [await claimCancelled(inside, ending)]],
  ['the search for calls to isolate', 1, async (inside) => [await findIsolated(inside)]],
  ['a purge of old plans', 1, async (inside) => [await purgePlans(inside, 30, 1_000)]],
  ['a deletion of old operations', 1, async (inside) => [await deleteEnded(inside, 90, 100)]],
];

const lists: readonly (readonly [what: string, read: (inside: Knex, of: SeededInstallation) => Promise<unknown>])[] = [
  ['an installation', (inside, of) => installations(inside).find(of.projectId, of.integrationId, of.installationId)],
  ['all installations', (inside, of) => installations(inside).list(of.projectId)],
  ['a page of installations', (inside, of) => installations(inside).listPage(of.projectId, {}, page)],
  ['their health', (inside, of) => installations(inside).listHealth(of.projectId, {}, step)],
  ['those that read', (inside, of) => installations(inside).idsReading(of.projectId, of.integrationId, ['contacts'])],
  ['a page of connections', (inside, of) => connectionStore(inside).listPage(of.projectId, {}, page)],
  ['the newest connection', (inside, of) => connectionStore(inside).findNewest(of.projectId, of)],
  ['configs', (inside, of) => configStore(inside).listPage(of, page)],
  ['credentials', (inside, of) => findManyCredentials(inside, [of])],
];

// What reads a share of what waits stops working when much does.
describe.each(['of a time when nothing waited', 'of now'])('with statistics and plans %s', (moment) => {
  beforeAll(async () => {
    if (moment === 'of now') await patient.raw('vacuum analyze');
  });

  it.each(works)(`%s reads hardly any of ${waiting} waiting writes`, async (_what, found, work) => {
    let result: unknown[] = [];
    const read = await rowsRead(database, async (inside) => (result = await work(inside)));
    expect(result).toHaveLength(found);
    // Measured: 2,300 at most.
    expect(read).toBeLessThan(waiting / 20);
  });

  // Measured: 55,000 at most, of all. A product of two tables has 25 million rows.
  it.each(lists)(`%s: the rows of ${customers} customers are read a few times at most`, async (_what, list) => {
    await database.raw('set plan_cache_mode = auto');
    expect(await rowsRead(database, (inside) => list(inside, fixture.seeded))).toBeLessThan(50 * customers);
    await database.raw('set plan_cache_mode = force_generic_plan');
  });
});

// As in the first minute of a database, before its tables are analyzed. Observed: every operation of the installation was read.
it('intents read hardly any of the writes that wait where no table has statistics', async () => {
  const ofTables = `relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`;
  await patient.raw(`delete from pg_statistic where starelid in (select oid from pg_class where ${ofTables})`);
  await patient.raw(`update pg_class set relpages = 0, reltuples = 0 where ${ofTables}`);
  await database.raw('discard plans');
  const { projectId, revisionId } = fixture.seeded;
  const running = { state: 'running', fence: 1, lease_until: patient.raw(`now() + interval '1 minute'`) };
  const intent = {
    projectId,
    operationId: last,
    number: 1,
    owner: 'test',
    fence: 1,
    revisionId,
    records: [{ index: 0 }],
  };
  let sent = 0;
  const read = await rowsRead(database, async (inside) => {
    await inside('calls').where({ project_id: projectId, operation_id: last }).update(running);
    sent = (await insertIntents(inside, [intent])).size;
  });
  expect(sent).toBe(1);
  expect(read).toBeLessThan(waiting / 20);
});

async function claimOfRefused(inside: Knex): Promise<ClaimedCall[]> {
  const { projectId, connectionId } = fixture.seeded;
  await inside('connections').where({ project_id: projectId, id: connectionId }).update({ status: 'bad_credentials' });
  await inside('calls').where({ project_id: projectId, operation_id: last }).update({ connection_id: 'gone' });
  return await claim(inside, [fixture.lane]);
}

async function sendAndSettle(inside: Knex): Promise<unknown[]> {
  const calls = await claim(inside, lanes);
  const intents = calls.map((call) => ({ ...call, records: [{ index: 0 }] }));
  await insertIntents(inside, intents);
  await loadPending(inside, calls);
  return [...(await settleWhole(inside, 'creates', calls.map(written), 1)).answers];
}

async function sendAndSettleUpdates(inside: Knex): Promise<unknown[]> {
  const calls = await claim(inside, [fixture.lane]);
  await insertIntents(
    inside,
    calls.map((call) => ({ ...call, records: [{ index: 0 }] })),
  );
  const ids = calls.map(({ operationId }) => operationId);
  const keys = await inside('records').whereIn('operation_id', ids).pluck<string[]>('order_key');
  const updates = calls.map((call, at) => ({ ...written(call, at), isCreate: false, orderKeys: keys }));
  return [...(await settleWhole(inside, 'updates', updates, 1)).answers];
}

async function settleHolding(inside: Knex): Promise<unknown[]> {
  const orderKeys = [`${fixture.lane.laneId}/contacts/1`];
  const calls = await claim(inside, [fixture.lane]);
  const settlements = calls.map((call, at) => ({ ...written(call, at), orderKeys }));
  return [...(await settleTogether(inside, settlements, 1)).answers];
}

async function multiplyCustomers(): Promise<void> {
  const own: Readonly<Record<string, readonly string[]>> = {
    groups: ['group_ref'],
    consumers: ['consumer_ref'],
    connections: ['id', 'group_ref', 'consumer_ref'],
    revisions: ['id'],
    installations: ['id', 'group_ref', 'connection_id', 'config_id'],
    config_contents: ['hash'],
    configs: ['id', 'installation_id', 'revision_id', 'content_hash'],
  };
  for (const [table, columns] of Object.entries(own)) {
    const changed = columns.map((column) => `'${column}', t.${column} || '-' || n`).join(', ');
    await patient.raw(
      `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${changed}))).* from ${table} t, generate_series(1, ?) n`,
      [customers],
    );
  }
}

function ofCustomer(number: number): BatchableWrite {
  const write = fixture.batchable();
  const { pins, ...operation } = write.operation;
  return {
    ...write,
    operation: { ...operation, pins: { ...pins, installationId: `${pins.installationId}-${number + 1}` } },
  };
}

function opened(): SynchronousWrite {
  const update = fixture.asynchronous({ type: 'update', records: [{ recordId: 'another' }] });
  return { ...update, owner: 'gateway', leaseMs: 60_000 };
}

function written(call: ClaimedCall, at: number): Settlement {
  return {
    ...call,
    isCreate: true,
    attempt: { durationMs: 1, status: 201 },
    records: [{ index: 0, kind: 'succeeded', providerId: String(at) }],
    next: { state: 'done' },
    orderKeys: [],
  };
}
