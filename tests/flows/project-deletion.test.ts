import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@sluice/store';
import { patientLimits, until } from '@sluice/testkit';
import { ask } from '../harness/api';
import { createCustomer, type Customer } from '../harness/customer';
import { startStack, type OwnStack } from '../harness/stack';

let stack: OwnStack;
let database: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  stack = await startStack();
  const { databaseUrl: url } = stack;
  database = openDatabase({ url, applicationName: 'test', poolMax: 2, limits: patientLimits });
});
afterAll(async () => {
  await database.destroy();
  await stack.stop();
});

const customerOf = () => createCustomer(stack, { provider: 'hubspot', read: ['contacts'], write: ['contacts'] });
const rows = async (table: string, { project }: Customer) =>
  (await database(table).where({ project_id: project.id }).select('project_id')).length;
const letTimePass = ({ project }: Customer) =>
  database.raw(
    `update project_deletions set requested_at = requested_at - interval '11 minutes' where project_id = ?`,
    [project.id],
  );
/** What a process remembers of a key, and as long again for a busy machine between its reading and the reply. */
const memoryMs = 2_000;

const modes = [
  {},
  { mode: 'asynchronous' },
  { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1_440 } },
] as const;

const created = (email: string) => ({ type: 'create', record: { email } });

interface Traffic {
  /** Of each reply, as they came. */
  readonly statuses: number[];
  /** Emails of synchronous writes that were answered with success. */
  readonly written: string[];
  stop(): Promise<void>;
}

/** Writes of every mode from several clients, until it is stopped. */
function startTraffic(customer: Customer): Traffic {
  const statuses: number[] = [];
  const written: string[] = [];
  let isOver = false;
  let sent = 0;
  const isOn = () => !isOver;
  const client = async (mode: object): Promise<void> => {
    while (isOn()) {
      const email = `w${(sent += 1)}@example.com`;
      const { status, body } = await customer.write('contacts', { ...created(email), ...mode });
      statuses.push(status);
      if (status === 200 && !('mode' in mode) && body.result.success) written.push(email);
      await sleep(10);
    }
  };
  const clients = Promise.all(modes.map(client));
  return {
    statuses,
    written,
    stop: async () => {
      isOver = true;
      await clients;
    },
  };
}

describe('a key deletes its own project under load', () => {
  let customer: Customer;
  let other: Customer;
  let traffic: Traffic;
  let answered: number;
  const late: number[] = [];
  beforeAll(async () => {
    customer = await customerOf();
    other = await customerOf();
    traffic = startTraffic(customer);
    await until('writes are under way', () => traffic.statuses.length > 30 || undefined);
    const { project } = customer;
    answered = (await ask(project.url, { method: 'DELETE', key: project.key })).status;
    await sleep(memoryMs);
    // Not the last ones of the traffic: what was sent before the deletion may be answered after it.
    for (const mode of modes)
      late.push((await customer.write('contacts', { ...created('late@example.com'), ...mode })).status);
    await traffic.stop();
  });

  it('opens none of the three base URLs any more', async () => {
    expect(answered).toBe(204);
    expect(late).toEqual([401, 401, 401]);
    expect(traffic.statuses.filter((status) => status >= 500)).toEqual([]);
    expect((await customer.search('contacts', { email: 'w1@example.com' })).status).toBe(401);
    expect((await ask(customer.project.url, { method: 'GET', key: customer.project.key })).status).toBe(401);
    expect((await ask(customer.project.url, { method: 'GET', key: stack.adminKey })).status).toBe(404);
  });

  it('has written what was answered with success', async () => {
    const stored = new Set((await customer.account.records('contacts')).map(({ fields }) => fields['email']));
    expect(traffic.written.length).toBeGreaterThan(0);
    expect(traffic.written.filter((email) => !stored.has(email))).toEqual([]);
  });

  it('lets every operation end, and leaves no row of the project', async () => {
    await until('each operation has ended', async () => (await rows('operations', customer)) === 0 || undefined);
    await letTimePass(customer);
    await until('it is erased', async () => (await rows('project_deletions', customer)) === 0 || undefined);
    const tables = ['api_keys', 'connections', 'installations', 'calls', 'records', 'attempts', 'lanes', 'configs'];
    for (const table of tables) expect([table, await rows(table, customer)]).toEqual([table, 0]);
  });

  it('does nothing to another project', async () => {
    const { status } = await other.write('contacts', { type: 'create', record: { email: 'other@example.com' } });
    expect(status).toBe(200);
  });
});

/** A management process that dies at a failpoint, on its own. */
async function startAndDie(name: string): Promise<void> {
  const deaths = () => stack.logLines().filter(({ event }) => event === 'failpoint.met').length;
  const before = deaths();
  // It may be dead before anybody saw it ready.
  await stack.processes.start('management', { SLUICE_FAILPOINT: `${name}:exit9:1` }).catch(() => undefined);
  await until(`it dies ${name}`, () => deaths() > before || undefined);
  await stack.processes.kill('management', 'SIGKILL');
}

// The reply never comes: the process is killed between the first transaction and the rest, or somewhere in it.
it('a deletion whose process is killed is finished by the next one', async () => {
  const customer = await customerOf();
  for (let sent = 0; sent < 20; sent += 1) {
    await customer.write('contacts', { ...created(`k${sent}@example.com`), ...modes[2] });
  }
  const { project } = customer;
  // A connection that somebody holds: the request ends access, and stands still before it is done.
  await database.transaction(async (transaction) => {
    await transaction('connections').where({ project_id: project.id }).forUpdate().select('id');
    const asked = fetch(project.url, { method: 'DELETE', headers: { 'x-api-key': project.key } }).then(
      ({ status }) => status,
      () => 'no reply',
    );
    await until('access has ended', async () => (await rows('project_deletions', customer)) === 1 || undefined);
    await stack.processes.kill('management', 'SIGKILL');
    await asked;
  });
  expect(await rows('connections', customer)).toBe(1);
  // Those that go on die behind their first commits: the installation's end, then some of what it left.
  await startAndDie('st.after_end_round');
  await startAndDie('st.after_erase_step');
  await startAndDie('st.after_erase_step');
  expect([await rows('installations', customer), await rows('consumers', customer)]).toEqual([0, 1]);
  await stack.processes.start('management');
  await until('it is withdrawn', async () => (await rows('connections', customer)) === 0 || undefined);
  await until('each operation has ended', async () => (await rows('operations', customer)) === 0 || undefined);
  await letTimePass(customer);
  await until('it is erased', async () => (await rows('project_deletions', customer)) === 0 || undefined);
});
