import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { alerts, renderRules } from '@sluice/contracts';
import { metricsUrlOf, type ProcessName } from '@sluice/local';
import { openDatabase } from '@sluice/store';
import { metricTable } from '@sluice/telemetry';
import {
  cloneDatabase,
  patientLimits,
  startTcpProxy,
  until,
  type ClonedDatabase,
  type TcpProxy,
} from '@sluice/testkit';
import { createCustomer, type Customer } from '../harness/customer';
import { createProject, type Project } from '../harness/project';
import { startStack, type OwnStack } from '../harness/stack';
import { crashExecutorsOver } from './alerts/crash-executors';
import { startPrometheus, type RunningPrometheus } from './alerts/prometheus';
import { readMetrics, type ShownMetric } from './alerts/read-metrics';
import { strangeLabels } from './alerts/strange-labels';
import { findTool } from './alerts/tools';

const services = [
  'management',
  'search',
  'write-gateway',
  'batcher',
  'executor',
] as const satisfies readonly ProcessName[];
/** Alerts count in seconds what they count in half minutes. */
const scale = 30;
/** A retry deadline of an hour lasts three seconds. */
const timeScale = 1_200;
/** Longest wait for an alert. */
const firesMs = 240_000;
const program = findTool('prometheus', 'the rehearsal of the alerts');
const rehearsal = program === undefined ? it.skip : it;

let clone: ClonedDatabase;
let wire: TcpProxy;
let redisWire: TcpProxy;
let stack: OwnStack;
let project: Project;
let customer: Customer;
let prometheus: RunningPrometheus | undefined;

beforeAll(async () => {
  clone = await cloneDatabase();
  wire = await startTcpProxy(clone.url);
  redisWire = await startTcpProxy(readProcessEnv()['REDIS_URL'] ?? '');
  stack = await startStack({ timeScale, env: { DATABASE_URL: wire.url, REDIS_URL: redisWire.url } });
  project = await createProject(stack);
  customer = await connect();
  if (program === undefined) return;
  const targets = Object.fromEntries(services.map((name) => [name, metricsUrlOf(stack.processes.url(name))]));
  prometheus = await startPrometheus({ program, targets, rules: renderRules(scale) });
});
afterAll(async () => {
  await prometheus?.stop();
  await stack.stop();
  wire.close();
  redisWire.close();
  await clone.drop();
});

const connect = () => createCustomer(stack, { provider: 'hubspot', project, read: ['contacts'], write: ['contacts'] });
const create = (to: Customer, n: number) =>
  to.write('contacts', { type: 'create', mode: 'asynchronous', record: { email: `person-${n}@example.com` } });

async function shown(): Promise<ShownMetric[]> {
  const texts = await Promise.all(
    services.map(async (name) => (await fetch(metricsUrlOf(stack.processes.url(name)))).text()),
  );
  return texts.flatMap(readMetrics);
}

describe('what the processes show', () => {
  beforeAll(async () => {
    const record = { email: 'first@example.com' };
    await customer.write('contacts', { type: 'create', record });
    const autoBatchPolicy = { maxDelayMinutes: 1 };
    const replies = await Promise.all([
      create(customer, 0),
      customer.write('contacts', { type: 'create', mode: 'asynchronous', record, autoBatchPolicy }),
    ]);
    for (const { body } of replies) await customer.ended(body.operationId);
    await customer.search('contacts', { email: record.email });
  });

  it('is the table of metrics: no metric more, none less, and what it says of each', async () => {
    const ours = (await shown()).filter(({ name }) => name.startsWith('sluice_'));
    const found = new Map(ours.map(({ name, kind, help }) => [name, `${kind}: ${help}`]));
    const table = Object.entries(metricTable).map(([name, { kind, help }]) => [name, `${kind}: ${help}`]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(table));
  });

  it('has the labels of the table with the values of the table', async () => {
    expect((await shown()).flatMap((metric) => strangeLabels(metric, services))).toEqual([]);
  });

  it('is shown on its own port only', async () => {
    for (const name of services) expect((await fetch(`${stack.processes.url(name)}/metrics`)).status).toBe(404);
  });
});

describe('the page of each alert', () => {
  const headings = [
    'What you see',
    'What it means',
    'First three commands',
    'How to fix',
    'How to verify',
    'What not to do',
  ];
  const pageOf = (runbook: string) => join(__dirname, '../../docs/runbooks', `${runbook}.md`);

  it.each(alerts.map(({ name, runbook }) => [name, runbook]))('%s: %s has its parts', (name, runbook) => {
    expect(existsSync(pageOf(runbook))).toBe(true);
    const page = readFileSync(pageOf(runbook), 'utf8');
    expect(page).toContain(`# ${name}\n`);
    expect([...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(headings);
    expect(page.split('## First three commands')[1]?.match(/^```sh$/gm)?.length).toBeGreaterThanOrEqual(3);
  });

  it('asks the database what it can answer', async () => {
    const statements = alerts.flatMap(({ runbook }) =>
      [...readFileSync(pageOf(runbook), 'utf8').matchAll(/psql "\$DATABASE_URL" -c "([^"]+)"/g)].map(
        ([, sql = '']) => sql,
      ),
    );
    expect(statements.length).toBeGreaterThan(5);
    const database = openDatabase({ url: clone.url, applicationName: 'test', poolMax: 1, limits: patientLimits });
    try {
      for (const sql of statements) await database.raw(sql.replaceAll('?', '\\?'));
    } finally {
      await database.destroy();
    }
  });
});

// Each condition is made on the running services; the rules are those of the chart, with every time divided by the scale.
describe('the rehearsal', () => {
  const watched = (): RunningPrometheus => {
    if (prometheus === undefined) throw new Error('Prometheus does not run');
    return prometheus;
  };
  const firing = async (): Promise<string[]> =>
    [...(await watched().alerts())].flatMap(([name, state]) => (state === 'firing' ? [name] : []));
  const seen = new Set<string>();
  const fires = async (name: string): Promise<boolean> => {
    await until(`${name} fires`, async () => ((await firing()).includes(name) ? true : undefined), firesMs);
    seen.add(name);
    return true;
  };

  rehearsal('all is well: every target is up and nothing fires', async () => {
    await until('five targets', async () => ((await watched().up()).length === 5 ? true : undefined));
    await until('a sample of the backlog', async () => (await watched().ask('sluice_oldest_ready_seconds')).at(0));
    // A Prometheus that has just started finds its targets after five seconds, and until then they are down.
    await until('nothing fires', async () => ((await firing()).length === 0 ? true : undefined));
  });

  rehearsal('many customers are refused: SluiceBadCredentials', async () => {
    const refused = await Promise.all(Array.from({ length: 7 }, connect));
    for (const [n, each] of refused.entries()) {
      await each.account.revoke();
      await create(each, n);
    }
    expect(await fires('SluiceBadCredentials')).toBe(true);
  });

  rehearsal('a provider is down past the deadlines: SluiceDeadlineMisses', async () => {
    await customer.account.fault({ durationMs: firesMs, action: { kind: 'status', status: 503 } });
    for (let n = 0; n < 15; n += 1) await create(customer, n);
    expect(await fires('SluiceDeadlineMisses')).toBe(true);
  });

  rehearsal('nobody can claim what is due: SluiceNotificationsLate', async () => {
    const { management } = project.client;
    // A name of this machine: whoever delivers it in the end is refused, and no packet leaves.
    const { id } = await management.createWebhookEndpoint({ body: { url: 'https://localhost:1/' } });
    const database = openDatabase({ url: clone.url, applicationName: 'test', poolMax: 1, limits: patientLimits });
    try {
      await database.transaction(async (holder) => {
        await holder.raw('set local idle_in_transaction_session_timeout = 0');
        await holder('webhook_endpoints').where({ id }).select('id').forUpdate();
        await management.testWebhookEndpoint({ endpointId: id });
        expect(await fires('SluiceNotificationsLate')).toBe(true);
      });
    } finally {
      await database.destroy();
    }
  });

  rehearsal('a call takes executors down: SluiceQuarantine', async () => {
    await crashExecutorsOver(stack, clone.url, async () => void (await create(await connect(), 0)));
    expect(await fires('SluiceQuarantine')).toBe(true);
  });

  rehearsal('no executor: SluiceServiceDown, and what was accepted waits: SluiceOldestReadyAge', async () => {
    await stack.processes.kill('executor', 'SIGKILL');
    await create(await connect(), 0);
    expect(await fires('SluiceServiceDown')).toBe(true);
    expect(await fires('SluiceOldestReadyAge')).toBe(true);
    const [down] = await watched().ask('ALERTS{alertname="SluiceServiceDown",alertstate="firing"}');
    expect(down?.metric).toMatchObject({ service: 'executor', severity: 'critical' });
  });

  rehearsal('no Redis, and everybody works on: SluiceDependencyDegraded', async () => {
    redisWire.cut();
    expect(await fires('SluiceDependencyDegraded')).toBe(true);
    const { status } = await create(customer, 0);
    await redisWire.mend();
    expect(status).toBe(200);
  });

  rehearsal('no database: SluiceAcceptErrors, and nobody sees the backlog: SluiceBacklogNotSampled', async () => {
    wire.cut();
    const statuses: number[] = [];
    const caller = setInterval(() => void create(customer, 0).then(({ status }) => statuses.push(status)), 200);
    expect(await fires('SluiceAcceptErrors')).toBe(true);
    clearInterval(caller);
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(await fires('SluiceBacklogNotSampled')).toBe(true);
  });

  rehearsal('every alert was seen', () => {
    expect([...seen].toSorted()).toEqual(alerts.map(({ name }) => name).toSorted());
  });
});
