import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createServiceProcesses, type ProcessName, type ServiceProcesses } from '@sluice/local';
import { repositoryRoot } from '@sluice/stack';
import { openDatabase } from '@sluice/store';
import { cloneDatabase, patientLimits, until, type ClonedDatabase } from '@sluice/testkit';
import { createCustomer, type Customer } from '../harness/customer';
import { freePortBase } from '../harness/free-port-base';
import { processEnvironment, startStack, type OwnStack } from '../harness/stack';
import { startBalancer, type Balancer } from './rolling/balancer';
import { startTraffic } from './rolling/traffic';

const run = promisify(execFile);
const keys = { k1: Buffer.alloc(32, 1).toString('base64'), k2: Buffer.alloc(32, 2).toString('base64') };
const keyRingOf = (...ids: (keyof typeof keys)[]) => ids.map((id) => `${id}:${keys[id]}`).join(',');

const services: readonly ProcessName[] = ['management', 'search', 'write-gateway', 'batcher', 'executor'];
/** Longer than the balancer takes to notice, also on a busy machine. */
const env = { SLUICE_DRAIN_DELAY_MS: '3000', SLUICE_IDLE_GRACE_MS: '3000' };

let database: ClonedDatabase;
let stack: OwnStack;
let second: ServiceProcesses;
let balancers: Balancer[];
let customer: Customer;

/** Two of each service; callers reach the three APIs through a balancer each. */
beforeAll(async () => {
  database = await cloneDatabase();
  const common = { ...env, DATABASE_URL: database.url, SLUICE_CREDENTIALS_KEYS: keyRingOf('k1') };
  stack = await startStack({ env: common });
  const portBase = await freePortBase();
  const given = processEnvironment({ env: common }, { databaseUrl: database.url, providerUrl: stack.sandboxUrl });
  second = createServiceProcesses({ portBase, logDir: join(stack.logDir, 'second'), env: given });
  await Promise.all(services.map((name) => second.start(name)));
  const both = (name: ProcessName) => startBalancer([stack.processes.url(name), second.url(name)]);
  balancers = await Promise.all([both('management'), both('search'), both('write-gateway')]);
  const [baseUrl = '', searchUrl = '', writeUrl = ''] = balancers.map(({ url }) => `${url}/v1`);
  const { portBase: names, adminKey, sandboxUrl } = stack;
  customer = await createCustomer(
    { portBase: names, adminKey, sandboxUrl, baseUrl, searchUrl, writeUrl },
    { provider: 'hubspot', read: ['contacts'], write: ['contacts'], accountOptions: { latencyMs: 15 } },
  );
});
afterAll(async () => {
  balancers.forEach((balancer) => balancer.close());
  await second.stop();
  await stack.stop();
  await database.drop();
});

/** SIGTERM for the first of each service, then for the second, each started again with this ring. */
async function roll(ring: string): Promise<void> {
  for (const processes of [stack.processes, second]) {
    await Promise.all(
      services.map(async (name) => {
        await processes.kill(name, 'SIGTERM');
        await processes.start(name, { SLUICE_CREDENTIALS_KEYS: ring });
      }),
    );
    await Promise.all(balancers.map((balancer) => balancer.whole()));
  }
}

async function reseal(ring: string): Promise<string> {
  const script = join(repositoryRoot, 'services/management/dist/reseal.js');
  const given = processEnvironment({}, { databaseUrl: database.url, providerUrl: stack.sandboxUrl });
  return (await run(process.execPath, [script], { env: { ...given, SLUICE_CREDENTIALS_KEYS: ring } })).stdout;
}

async function sealedWith(): Promise<string[]> {
  const store = openDatabase({
    url: database.url,
    poolMax: 1,
    applicationName: 'rolling-restart',
    limits: patientLimits,
  });
  try {
    return await store('connections').whereNotNull('sealed_credentials').distinct().pluck<string[]>('seal_key_id');
  } finally {
    await store.destroy();
  }
}

// An upgrade restarts every process, a new key needs three of them. Callers and customers notice neither.
it('[sec-42] every process is replaced three times and the sealing key once, and no request fails, no write is lost', async () => {
  const traffic = startTraffic(customer);
  // The new key must open everywhere before anybody seals with it.
  await roll(keyRingOf('k1', 'k2'));
  await roll(keyRingOf('k2', 'k1'));
  expect(await reseal(keyRingOf('k2', 'k1'))).toContain('1 sealed again, 0 changed meanwhile, 0 unreadable, 0 left');
  await roll(keyRingOf('k2'));
  await until('there was traffic', () => traffic.accepted.size > 200 || undefined, 240_000);
  await traffic.end();
  expect(traffic.failures).toEqual([]);
  expect(await sealedWith()).toEqual(['k2']);

  for (const id of new Set(traffic.accepted.values())) {
    expect(await customer.ended(id)).toMatchObject({ status: 'success' });
  }
  const written = (await customer.account.records('contacts')).map(({ fields }) => String(fields['lastname']));
  // Each once: a name that stands twice would stand twice here.
  expect(written.toSorted()).toEqual([...traffic.accepted.keys()].toSorted());
});
