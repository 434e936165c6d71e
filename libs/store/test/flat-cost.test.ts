import { createStore, openDatabase, type ClaimedCall, type LaneKey, type Settlement } from '@sluice/store';
import { cloneDatabase, fillBacklog, seedInstallation, patientLimits } from '@sluice/testkit';
import { claimReady } from '../src/writes/claim-calls';
import { claimCancelled } from '../src/writes/claim-cancelled';
import { findReadyLanes } from '../src/writes/find-ready-lanes';
import { insertIntents } from '../src/writes/record-intents';
import { lapse } from '../src/writes/leases';
import { loadPending } from '../src/writes/load-records';
import { claimOverdue } from '../src/writes/overdue';
import { deleteEnded } from '../src/operations/delete-operations';
import { purgePlans, findIsolated } from '../src/writes/sweeps';
import { sampleLanes } from '../src/writes/sample-lanes';
import { repairOrder } from '../src/writes/order-queue';
import { settleWhole } from '../src/writes/settle';
import { pagesOf } from './statement-cost';

type Database = ReturnType<typeof openDatabase>;

/** A database in which something waits: 10 calls in each of many lanes, and as many in one. */
interface Backlog {
  readonly database: Database;
  /** Whether the statistics say what waits. */
  readonly isKnown: boolean;
  readonly oneLane: LaneKey;
  readonly lanes: readonly LaneKey[];
  close(): Promise<void>;
}

async function prepare(lanes: number, isKnown: boolean): Promise<Backlog> {
  const clone = await cloneDatabase();
  await turnAutovacuumOff(clone.url);
  const store = createStore({ url: clone.url, applicationName: 'test', poolMax: 1, limits: patientLimits });
  const seeded = await seedInstallation(store);
  await store.close();
  const { projectId } = seeded;
  const many = await fillBacklog(clone.url, seeded, { calls: lanes * 10, lanes });
  const one = await fillBacklog(clone.url, seeded, { calls: lanes * 10, lanes: 1 });
  const database = openDatabase({ url: clone.url, applicationName: 'test', poolMax: 1, limits: patientLimits });
  await database.raw('set statement_timeout = 0');
  if (!isKnown) await hideFromStatistics(database);
  const toLane = (laneId: string): LaneKey => ({ projectId, laneId });
  return {
    database,
    isKnown,
    oneLane: toLane(one.laneIds[0] ?? ''),
    lanes: many.laneIds.map(toLane),
    close: async () => {
      await database.destroy();
      await clone.drop();
    },
  };
}

/** It comes when it likes: it would hold a snapshot, for which dead rows are kept and counted, and know what is to be hidden. */
async function turnAutovacuumOff(url: string): Promise<void> {
  const database = openDatabase({ url, applicationName: 'test', poolMax: 1, limits: patientLimits });
  const tables = await database('pg_tables')
    .where({ schemaname: 'public' })
    .select<{ tablename: string }[]>('tablename');
  for (const { tablename } of tables) await database.raw('alter table ?? set (autovacuum_enabled = off)', [tablename]);
  await database.destroy();
}

/** Statistics are of a moment at which nothing waited, as after a quiet hour: every index of what waits is taken for empty. */
async function hideFromStatistics(database: Database): Promise<void> {
  await database('calls').update({ state: 'done' });
  await database.raw('create table hidden as table order_queue');
  await database('order_queue').delete();
  await database.raw('vacuum (full, analyze) calls, order_queue');
  await database('calls').update({ state: 'ready' });
  await database.raw('insert into order_queue table hidden');
}

let small: Backlog;
let large: Backlog;

/**
 * With ten times as much waiting a statement may touch half as many pages more (an index is a level deeper), and 32 that a
 * vacuum has not visited yet.
 */
async function expectFlat(work: (inside: Database, backlog: Backlog) => Promise<unknown>): Promise<void> {
  const pages = (backlog: Backlog) => pagesOf(backlog.database, (inside) => work(inside, backlog));
  expect(await pages(large)).toBeLessThanOrEqual(1.5 * (await pages(small)) + 32);
}

const request = { owner: 'test', limit: 64, perLane: 4, leaseMs: 6_000, isolated: false };
const ending = { owner: 'test', leaseMs: 6_000, limit: 100 };

// The promise of design 5.8 and of P11: a claim costs the same at a million waiting calls and 100,000 lanes.
describe.each([
  ['statistics of now', true],
  ['statistics of a time when nothing waited', false],
])('with ten times as much waiting, and %s, no more is read by', (_statistics, isKnown) => {
  beforeAll(async () => {
    small = await prepare(100, isKnown);
    large = await prepare(1_000, isKnown);
  });
  afterAll(async () => {
    await small.close();
    await large.close();
  });

  it('a claim from many lanes', async () => {
    await expectFlat(async (inside, { lanes }) => {
      const { calls } = await claimReady(inside, { ...request, lanes: lanes.slice(0, 16) });
      expect(calls).toHaveLength(64);
    });
  });

  it('a claim from a lane of its own', async () => {
    await expectFlat((inside, { oneLane }) => claimReady(inside, { ...request, lanes: [oneLane] }));
  });

  // They are passed over as one, and nothing of them has to be moved when the connection works again.
  it('a claim from a lane where a refused connection holds back everything but one call', async () => {
    await change(refuseAllButOne);
    await expectFlat(async (inside, { oneLane }) => {
      const { calls } = await claimReady(inside, { ...request, lanes: [oneLane] });
      expect(calls).toHaveLength(1);
    });
    await change(({ database }) => database.raw(`update connections set status = 'working'`));
  });

  it('the send and the settlement of calls that are all of their operation', async () => {
    await expectFlat(async (inside, { lanes }) => {
      const { calls } = await claimReady(inside, { ...request, lanes: lanes.slice(0, 16) });
      const records = [{ index: 0 }];
      const sent = await insertIntents(
        inside,
        calls.map((call) => ({ ...call, records })),
      );
      const loaded = await loadPending(inside, calls);
      const settled = await settleWhole(inside, calls.map(written));
      expect([sent.size, loaded.flat().length, settled.size]).toEqual([64, 64, 64]);
    });
  });

  it('a step of the sweep of ready lanes', async () => {
    await expectFlat(async (inside) => {
      const step = await findReadyLanes(inside, { limit: 100 });
      expect([step.found.length, step.next]).toEqual([100, expect.anything()]);
    });
  });

  it('a step of the sample that is shown of the backlog', async () => {
    await expectFlat(async (inside) => {
      const step = await sampleLanes(inside, { limit: 100 });
      expect([step.found.length, step.next]).toEqual([100, expect.anything()]);
    });
  });

  it('a step of the repair of the order', async () => {
    const move = (state: string) => change((of) => callsInLane(of).update({ state }));
    await move('waiting');
    await expectFlat((inside) => repairOrder(inside, { limit: 100 }));
    await move('ready');
  });

  // Overdue and not held back: left to the claims, and not to be read on every pass.
  it('a step over overdue calls', async () => {
    await change((of) => {
      const passed = of.database.raw(
        `now() - make_interval(secs => ('x' || right(operation_id, 8))::bit(32)::integer)`,
      );
      return callsInLane(of).update({ deadline: passed });
    });
    const pages = await pagesOf(large.database, async (inside) => {
      const step = await claimOverdue(inside, ending);
      expect([step.found, step.next]).toEqual([[], expect.any(String)]);
    });
    // Not compared: small tables are read whole. Each of the 100 calls costs 7 to 9 pages, and one more for each of its four earlier
    // versions while somebody holds a snapshot that may need them.
    expect(pages).toBeLessThanOrEqual(100 * 16);
  });

  it.each<[what: string, read: (inside: Database) => Promise<unknown>]>([
    ['the lapse of leases', (inside) => lapse(inside, 1_000)],
    ['the search for cancelled operations', (inside) => claimCancelled(inside, ending)],
    ['the search for calls to isolate', (inside) => findIsolated(inside)],
    ['a purge of old plans', (inside) => purgePlans(inside, 30, 1_000)],
    ['a deletion of old operations', (inside) => deleteEnded(inside, 90, 100)],
  ])('%s', async (_, read) => {
    await expectFlat(read);
  });
});

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

/** Changes both, and leaves no dead row for the statements that are counted; where the statistics are old it leaves them so. */
async function change(work: (backlog: Backlog) => PromiseLike<unknown>): Promise<void> {
  for (const backlog of [small, large]) {
    await work(backlog);
    if (backlog.isKnown) await backlog.database.raw('vacuum (analyze) calls, records, connections');
  }
}

function callsInLane({ database, oneLane }: Backlog) {
  return database('calls').where({ lane_id: oneLane.laneId });
}

/** One call gets a connection that is gone, which is no reason to hold it back. */
async function refuseAllButOne(backlog: Backlog): Promise<void> {
  await backlog.database('connections').update({ status: 'bad_credentials' });
  const last = callsInLane(backlog).orderBy('operation_id', 'desc').limit(1).select('operation_id');
  await backlog.database('calls').whereIn('operation_id', last).update({ connection_id: 'gone' });
}
