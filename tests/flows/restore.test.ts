import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcesses } from '@sluice/local';
import type { Account } from '../harness/account';
import { createCustomer, type Customer } from '../harness/customer';
import { createProject } from '../harness/project';
import { backUp } from './restore/base-backup';
import { openRestoredWorld, type RestoredWorld } from './restore/restored-world';
import { readEndings, sendWrites, tally, type Accepted, type Ending } from './restore/writes';

/** Calls that each CRM has performed when the services die, with more under way and behind. */
const performedFirst = 6;
/** Creates that it lets through until then. What comes after them waits, so that no stall of this machine leaves too little undone. */
const letThrough = 10;

let world: RestoredWorld;
let backup: string;
let accepted: Accepted[];

beforeAll(async () => {
  world = await openRestoredWorld();
  backup = join(world.folder, 'backup');
  const processes = await world.startServices(world.firstUrl, ['management', 'write-gateway']);
  const [hubspot, salesforce] = await connect();
  accepted = await sendWrites(hubspot, salesforce);
  await Promise.all([hubspot, salesforce].map(({ account }) => holdUp(account)));
  // Only now, so that much is left to do however slow this machine is; and no batcher, so that the batches stay open.
  await processes.start('executor');
  await untilPerformed([hubspot, salesforce]);
  await killAll(processes);
  await backUp(world.firstUrl, backup);
  await Promise.all([hubspot, salesforce].map(({ account }) => letGo(account)));
});
afterAll(() => world?.stop());

/** Of a call in milliseconds: until the services are killed, so that some are under way then; and afterwards. */
const latency = { first: 1_500, later: 200 };

async function connect(): Promise<[Customer, Customer]> {
  const project = await createProject(world.addresses);
  return [
    await createCustomer(world.addresses, { project, provider: 'hubspot', read: ['contacts'], write: ['contacts'] }),
    await createCustomer(world.addresses, { project, provider: 'salesforce', read: ['Contact'], write: ['Contact'] }),
  ];
}

/** A call takes long enough for a backlog to build up behind it. Only now: the record to update is created while its caller waits, 3 s at most. */
async function holdUp(account: Account): Promise<void> {
  await account.fault({ times: 0, action: { kind: 'slow', delayMs: latency.first } });
  await account.fault({ match: { method: 'POST', nth: letThrough + 1 }, times: 0, action: { kind: 'timeout' } });
}

async function letGo(account: Account): Promise<void> {
  await account.clearFaults();
  await account.fault({ times: 0, action: { kind: 'slow', delayMs: latency.later } });
}

async function untilPerformed(customers: readonly Customer[]): Promise<void> {
  for (;;) {
    const lanes = await Promise.all(customers.map(({ account }) => account.writes()));
    // Also what its caller did not wait for: on a machine that stands still no call may come back in time.
    const performed = lanes.map((calls) => calls.filter(({ applied }) => applied > 0).length);
    if (performed.every((count) => count >= performedFirst)) return;
    await sleep(20);
  }
}

async function killAll(processes: ServiceProcesses): Promise<void> {
  const names = ['executor', 'write-gateway', 'management'] as const;
  await Promise.all(names.map((name) => processes.kill(name, 'SIGKILL')));
}

/** The backup on a new Postgres, an empty Kafka and an empty Redis, until every write has ended. */
async function runRestored(name: string, prepare?: (url: string) => Promise<void>): Promise<Ending[]> {
  const url = await world.restore(name, backup);
  await prepare?.(url);
  const processes = await world.startServices(url);
  const endings = await readEndings(accepted);
  await processes.stop();
  return endings;
}

const creates = (endings: readonly Ending[]) => endings.filter(({ kind }) => kind !== 'update');
const doubled = (endings: readonly Ending[]) => creates(endings).filter(({ atProvider }) => atProvider > 1);

// The restore is a test. The order of the three matters: each restores what the ones before have written at the CRMs.
describe('a backup of a database in the middle of its work', () => {
  it('taken when the services had died: every accepted write ends, exactly once where it can be known', async () => {
    const endings = await runRestored('second');
    expect(endings).toHaveLength(125);
    expect(doubled(endings)).toEqual([]);
    for (const ending of endings) {
      // A create without a unique key that was under way may end as unknown: the promises say so.
      if (ending.kind === 'plain' && ending.status === 'unknown') continue;
      expect(ending).toMatchObject({ status: 'succeeded', ...(ending.kind !== 'update' && { atProvider: 1 }) });
    }
  });

  it('older than what was sent since: after npm run restored no create is sent twice, and none is lost', async () => {
    const said: string[] = [];
    const endings = await runRestored('third', async (url) => {
      said.push(await world.runRestored(url));
    });
    expect(said[0]).toMatch(/^[1-9]\d* open auto-batches sealed\n[1-9]\d* calls of creates/);
    expect(doubled(endings)).toEqual([]);
    const ends = tally(endings);
    // What the CRM has already is found, and belongs to its write.
    expect(endings.filter(({ status }) => status !== 'succeeded' && status !== 'unknown')).toEqual([]);
    expect(creates(endings).filter(({ status, atProvider }) => status === 'succeeded' && atProvider !== 1)).toEqual([]);
    expect(ends['salesforce plain: succeeded, 1 at the provider']).toBe(60);
    expect(ends['hubspot unique: succeeded, 1 at the provider']).toBe(50);
  });

  // What docs/guides/operate.md warns of, and the proof that the test before it can fail.
  it('older than what was sent since, started as it is: creates are sent again', async () => {
    const endings = await runRestored('fourth');
    const ends = tally(endings);
    expect(ends['salesforce plain: succeeded, 2 at the provider']).toBeGreaterThan(20);
    expect(doubled(endings).filter(({ kind }) => kind === 'unique')).toEqual([]);
    // The CRM refuses the unique key, and nothing says that the record is ours.
    expect(ends['hubspot unique: failed (conflict), 1 at the provider']).toBeGreaterThan(20);
  });
});
