import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { readProcessEnv } from '@sluice/config';
import { createServiceProcesses, type ProcessName, type ServiceProcesses } from '@sluice/local';
import { repositoryRoot } from '@sluice/stack';
import { migrateDatabase } from '@sluice/store';
import { until } from '@sluice/testkit';
import type { Addresses } from '../harness/addresses';
import { createCustomer, type Customer } from '../harness/customer';
import { freePortBase } from '../harness/free-port-base';
import { createProject } from '../harness/project';
import { adminKey, createTopics, processEnvironment } from '../harness/stack';
import { query, startArchivedPostgres, type ArchivedPostgres } from './restore/archived-postgres';

/** Operations that are accepted in all. `RESTORE_OPERATIONS=100000 npm test -- tests/flows/restore-moment` is the size run (docs/testing.md). */
const size = Number(readProcessEnv()['RESTORE_OPERATIONS'] ?? 400);
/** Accounts of each provider; of one account four calls are performed at once. */
const accountsEach = size > 10_000 ? 8 : 2;
const callers = size > 10_000 ? 32 : 8;
/** Longest wait for what grows with the size. */
const boundMs = 300_000 + size * 30;
/** 48 hours of the specification last twenty minutes, and Salesforce's ten minutes four seconds. */
const timeScale = size > 10_000 ? 20 : 150;

const run = promisify(execFile);
const services: readonly ProcessName[] = ['management', 'write-gateway', 'batcher', 'executor'];
const objectOf = ({ account }: Customer) => (account.provider === 'hubspot' ? 'contacts' : 'Contact');
const isFinal = `state in ('succeeded', 'failed')`;

interface Sent {
  readonly marker: string;
  readonly operationId: string;
  /** Milliseconds since 1970, by the clock that Postgres has too. */
  readonly sentAt: number;
  readonly repliedAt: number;
}

let postgres: ArchivedPostgres;
let portBase: number;
const running: ServiceProcesses[] = [];
afterAll(async () => {
  for (const processes of running) await processes.stop();
  await postgres?.stop();
});

const settings = (name: string, databaseUrl: string): Record<string, string> => ({
  ...processEnvironment({ timeScale }, { databaseUrl, providerUrl: `http://127.0.0.1:${portBase + 600}` }),
  // The restored services find an empty Kafka and an empty Redis.
  KAFKA_TOPIC_PREFIX: `${name}.`,
  REDIS_URL: `${(readProcessEnv()['REDIS_URL'] ?? '').replace(/\/\d*$/, '')}/${name === 'first' ? 7 : 8}`,
});

async function startServices(name: string, databaseUrl: string, names = services): Promise<ServiceProcesses> {
  const env = settings(name, databaseUrl);
  await createTopics((env['KAFKA_BROKERS'] ?? '').split(','), env['KAFKA_TOPIC_PREFIX']);
  const processes = createServiceProcesses({ portBase, logDir: mkdtempSync(join(tmpdir(), 'sluice-moment-')), env });
  running.push(processes);
  await Promise.all(names.map((each) => processes.start(each)));
  return processes;
}

async function connect(addresses: Addresses): Promise<readonly Customer[]> {
  const project = await createProject(addresses);
  const customers: Customer[] = [];
  for (let made = 0; made < accountsEach; made += 1) {
    customers.push(
      await createCustomer(addresses, { project, provider: 'hubspot', write: ['contacts'] }),
      await createCustomer(addresses, { project, provider: 'salesforce', write: ['Contact'] }),
    );
  }
  return customers;
}

/** Creates, alone, so that each is an operation: with a unique key at HubSpot, without one at Salesforce. */
async function create(customer: Customer, marker: string): Promise<Sent> {
  const isHubspot = customer.account.provider === 'hubspot';
  const names = isHubspot
    ? { lastname: marker, email: `${marker}@example.com` }
    : { LastName: marker, FirstName: marker };
  const body = { type: 'create', mode: 'asynchronous', record: names, retryPolicy: { deadlineHours: 48 } };
  const sentAt = Date.now();
  // A service on a busy machine may answer 503: the same request again, as a caller sends it.
  const operationId = await until(
    `${marker} is accepted`,
    async () => {
      const reply = await customer.write(objectOf(customer), body, { 'idempotency-key': marker });
      if (reply.status === 503) await sleep(1_000);
      else if (reply.status !== 200) throw new Error(`${marker} was refused: ${JSON.stringify(reply.body)}`);
      return reply.status === 200 ? reply.body.operationId : undefined;
    },
    boundMs,
  );
  return { marker, operationId, sentAt, repliedAt: Date.now() };
}

interface Part {
  /** The markers that are sent: this one and those up to `to`, which is not. */
  readonly from: number;
  readonly to: number;
  /** After how many of them were accepted `work` begins, while the others are sent. */
  readonly after: number;
  readonly work: () => Promise<void>;
}

/** Ends when both have: what is sent, and the work. */
async function sendAround(customers: readonly Customer[], { from, to, after, work }: Part): Promise<Sent[]> {
  const sent: Sent[] = [];
  let next = from;
  let working: Promise<void> | undefined;
  const caller = async (): Promise<void> => {
    while (next < to) {
      const n = next;
      next += 1;
      const [customer] = customers.slice(n % customers.length);
      if (customer !== undefined) sent.push(await create(customer, `moment-${n}`));
      if (sent.length >= after) working ??= work();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  await working;
  return sent;
}

/** The state of each operation of this database, by id. */
async function operationsOf(url: string): Promise<ReadonlyMap<string, string>> {
  const rows = await query(url, 'select id, state from operations');
  return new Map(rows.map(({ id, state }) => [String(id), String(state)]));
}

async function countAtProviders(customers: readonly Customer[]): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const customer of customers) {
    for (const { fields } of await customer.account.records(objectOf(customer))) {
      const marker = String(fields['lastname'] ?? fields['LastName']);
      counts.set(marker, (counts.get(marker) ?? 0) + 1);
    }
  }
  return counts;
}

const took: string[] = [];
async function timed<T>(step: string, work: () => Promise<T>): Promise<T> {
  const begunAt = performance.now();
  const result = await work();
  took.push(`${step} ${((performance.now() - begunAt) / 1_000).toFixed(1)} s`);
  return result;
}

// docs/guides/operate.md, "Back up and restore".
it(
  'a base backup and the archived log, restored to a moment: no write before it is lost, and none is sent twice',
  async () => {
    portBase = await freePortBase();
    postgres = await startArchivedPostgres();
    await migrateDatabase(postgres.url, { waitMs: 120_000 });
    const sandbox = await startServices('first', postgres.url, ['sandbox']);
    const first = await startServices('first', postgres.url);
    const [baseUrl, writeUrl, sandboxUrl] = [
      first.url('management'),
      first.url('write-gateway'),
      sandbox.url('sandbox'),
    ];
    const addresses = {
      portBase,
      adminKey,
      baseUrl: `${baseUrl}/v1`,
      searchUrl: '',
      writeUrl: `${writeUrl}/v1`,
      sandboxUrl,
    };
    const customers = await connect(addresses);

    let moment = '';
    const noteMoment = async () => {
      const [row] = await query(
        postgres.url,
        `select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') as moment`,
      );
      moment = String(row?.['moment']);
    };
    const sent = await timed('writes', async () => {
      const most = Math.floor(size * 0.7);
      const backUp = () => timed('base backup', () => postgres.backUp());
      const early = await sendAround(customers, { from: 0, to: most, after: Math.floor(size * 0.4), work: backUp });
      // The backup has ended: Postgres can restore no moment before that.
      const late = await sendAround(customers, {
        from: most,
        to: size,
        after: Math.floor(size * 0.8) - most,
        work: noteMoment,
      });
      return [...early, ...late];
    });
    const momentAt = Date.parse(moment);
    await until(
      'some of what came after the moment is performed',
      async () => {
        const rows = await query(
          postgres.url,
          `select 1 from operations where ${isFinal} and created_at > '${moment}' limit 1`,
        );
        return rows.length > 0 || undefined;
      },
      boundMs,
    );
    await Promise.all(services.map((name) => first.kill(name, 'SIGKILL')));
    await postgres.crash();

    const url = await timed('restore', () => postgres.restoreTo(moment));
    const known = await operationsOf(url);
    const open = [...known.values()].filter((state) => ['accumulating', 'queued'].includes(state)).length;
    const script = join(repositoryRoot, 'services/executor/dist/restored.js');
    const { stdout } = await timed('restored', () => run(process.execPath, [script], { env: settings('second', url) }));
    await timed('services', () => startServices('second', url));
    await timed('the rest', () =>
      until(
        'every operation has ended',
        async () => {
          const rows = await query(url, `select 1 from operations where not (${isFinal}) limit 1`);
          return rows.length === 0 || undefined;
        },
        boundMs,
      ),
    );

    const ended = await operationsOf(url);
    const counts = await countAtProviders(customers);
    const before = sent.filter(({ repliedAt }) => repliedAt < momentAt);
    const after = sent.filter(({ sentAt }) => sentAt > momentAt);
    const lost = before.filter(({ operationId, marker }) => !ended.has(operationId) || !counts.has(marker));
    const doubled = [...counts.values()].filter((count) => count > 1).length;
    const unknown = after.filter(({ operationId }) => !ended.has(operationId)).length;
    process.stdout.write(
      `restore to a moment: accepted ${sent.length}, before the moment ${before.length}, after it ${after.length} of which ${unknown} are not known\n` +
        `  may have been sent since, looked up before they are sent: ${open} operations (${stdout.trim().replaceAll('\n', '; ')})\n` +
        `  lost ${lost.length}, doubled ${doubled}; ${took.join(', ')}\n`,
    );
    expect(sent).toHaveLength(size);
    expect(lost).toEqual([]);
    expect(doubled).toBe(0);
    expect(unknown).toBe(after.length);
    expect(after.length).toBeGreaterThan(0);
    expect(before.length).toBeGreaterThan(size / 2);
    expect([...ended.values()].filter((state) => state !== 'succeeded')).toEqual([]);
  },
  600_000 + size * 60,
);
