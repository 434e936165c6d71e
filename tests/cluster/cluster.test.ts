import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tourOfRunning } from '@sluice/local';
import {
  install,
  loadImages,
  namespaceArguments,
  podsOf,
  removeEverything,
  secondsSince,
  services,
  trialValues,
  valuesOf,
} from './install';
import { endLoad, startLoad } from './load-pod';
import { preparePlatform, taint, untaintNodes } from './platform';
import { portForward } from './port-forward';
import { attempt, kubectl, release, run, runAside, settings, printLine } from './run';

interface StepOptions {
  /** Whether what follows has nothing to stand on when the step fails. @default false: it only judges */
  readonly isBase?: boolean;
  readonly withinMs?: number;
}

/** A scenario: the steps run in order, and each needs the bases before it. */
let failed: string | undefined;
function step(
  name: string,
  work: () => Promise<void> | void,
  { isBase = false, withinMs = 900_000 }: StepOptions = {},
): void {
  // oxlint-disable-next-line jest/expect-expect -- `work` asserts
  it(
    // oxlint-disable-next-line jest/valid-title -- a literal of each step
    name,
    async () => {
      if (failed !== undefined) throw new Error(`not reached: "${failed}" failed`);
      if (isBase) failed = name;
      printLine(`== ${name}`);
      await work();
      failed = undefined;
    },
    withinMs,
  );
}

const keysOf = (): string => kubectl('get', 'secret', 'sluice-keys', '--output', 'jsonpath={.data}');
const account = `system:serviceaccount:${settings.namespace}:sluice-crash-test`;

const { tag, beforeTag } = settings;

beforeAll(() => {
  removeEverything();
  untaintNodes();
  loadImages();
  preparePlatform();
}, 1_800_000);
afterAll(() => {
  try {
    removeEverything();
  } finally {
    untaintNodes();
  }
}, 300_000);

step(
  'installs five services of the version before on a platform that restricts its pods',
  () => {
    const { notes, seconds } = install(valuesOf(beforeTag));
    printLine(notes);
    printLine(`helm install --wait: ${seconds} s`);
    expect(notes).toContain('Database connections: at most');
  },
  { isBase: true },
);

step('passes helm test', () => passQuickCheck());

function passQuickCheck(): void {
  const said = run('helm', 'test', release, ...namespaceArguments, '--logs', '--filter', 'name=sluice-quick-check');
  printLine(
    said
      .split('\n')
      .filter((line) => /^(ok|FAILED)|checks passed/.test(line))
      .join('\n'),
  );
  expect(said).toContain('9 of 9 checks passed');
}

step('is restricted by its platform', () => {
  const privileged = ['run', 'x', '--image', 'x', '--privileged', '--dry-run=server'];
  expect(attempt('kubectl', [...namespaceArguments, ...privileged]).stderr).toContain(
    'violates PodSecurity "restricted',
  );
  const taints = kubectl('get', 'nodes', '--output', 'jsonpath={range .items[*]}{.spec.taints[*].key}{"\\n"}{end}');
  for (const keys of taints.split('\n')) expect(keys.split(' ')).toContain(taint);
  const used = kubectl('get', 'resourcequota', 'platform', '--output', 'jsonpath={.status.used}');
  printLine(`  of the quota: ${used}`);
  const { pods, 'limits.cpu': cpus } = JSON.parse(used) as Readonly<Record<string, string>>;
  expect(Number(pods)).toBeGreaterThan(2 * services.length);
  // Two for each container that names none.
  expect(Number(cpus)).toBeGreaterThan(4 * services.length);
});

step('reaches Postgres and Redis by TLS, and trusts no other authority', () => {
  const plain = `select count(*) from pg_stat_ssl join pg_stat_activity using (pid) where client_addr is not null and not ssl`;
  expect(queryDatabase(plain)).toBe('0');
  // It listens to TLS alone. The batcher has no use for it.
  const list = ['redis-cli', '--tls', '--insecure', 'client', 'list'];
  const clients = kubectl('exec', 'deployment/platform-trial-redis', '--', ...list).split('\n');
  expect(clients.filter((line) => !line.includes('127.0.0.1')).length).toBeGreaterThanOrEqual(8);
  const [pod = ''] = podsOf('executor');
  const connect = ['env', '-u', 'DATABASE_CA', 'node', 'dist/restored.js'];
  const { status, stdout, stderr } = attempt('kubectl', [...namespaceArguments, 'exec', pod, '--', ...connect]);
  expect(status).not.toBe(0);
  expect(stdout + stderr).toMatch(/unable to verify the first certificate/);
});

step('gives each pod the ways that it needs and no other', () => {
  const pods = [...services, 'trial-sandbox'];
  for (const component of pods) {
    const policy = kubectl('get', 'networkpolicy', `sluice-${component}`, '--output', 'jsonpath={.spec}');
    const { podSelector, policyTypes, egress } = JSON.parse(policy) as NetworkPolicySpec;
    const selector = Object.entries(podSelector.matchLabels).map(([name, value]) => `${name}=${value}`);
    const selected = kubectl('get', 'pods', '--selector', selector.join(), '--output', 'name').split('\n');
    expect([component, selected.toSorted()]).toEqual([component, podsOf(component).toSorted()]);
    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    const ports = egress.flatMap((rule) => rule.ports.map(({ port }) => port));
    expect([component, ports]).toEqual([component, [53, 53, ...outgoing(component)]]);
  }
});

/** Ports beside DNS: the batcher asks no provider, the sandbox nobody. */
function outgoing(component: string): number[] {
  if (component === 'trial-sandbox') return [];
  return [5432, 9092, 6379].concat(component === 'batcher' ? [] : [443, 4600]);
}

interface NetworkPolicySpec {
  readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly policyTypes: readonly string[];
  readonly egress: readonly { readonly ports: readonly { readonly port: number }[] }[];
}

step(
  'upgrades, rolls back and upgrades again under load, without a failed request',
  async () => {
    await startLoad();
    const upgrade = ['upgrade', release, 'helm/sluice', ...namespaceArguments, '--wait', '--timeout', '5m'];
    const migrationsBefore = countMigrations();
    const upgradeSeconds = await timed([...upgrade, ...valuesOf(tag)]);
    expect(imageOfExecutor()).toMatch(new RegExp(`:${tag}$`));
    const migrations = countMigrations();
    const rollbackSeconds = await timed(['rollback', release, ...namespaceArguments, '--wait', '--timeout', '5m']);
    expect(imageOfExecutor()).toMatch(new RegExp(`:${beforeTag}$`));
    const againSeconds = await timed([...upgrade, ...valuesOf(tag)]);
    const { status, stdout } = await endLoad();
    printLine(stdout.trim());
    printLine(`from ${settings.before} with ${migrationsBefore} migrations to one with ${migrations}`);
    printLine(
      `helm upgrade --wait: ${upgradeSeconds} s, helm rollback --wait: ${rollbackSeconds} s, helm upgrade --wait: ${againSeconds} s, at ${settings.rate} writes/s`,
    );
    // Which pod came and went when: what a failed request is compared with.
    if (status !== 0) printLine(kubectl('get', 'events', '--sort-by', '.lastTimestamp'));
    expect(stdout).toMatch(/^\d+ accepted, 0 lost, 0 duplicate/m);
    expect(status).toBe(0);
  },
  { withinMs: 1_800_000 },
);

const imageOfExecutor = (): string =>
  kubectl('get', 'deploy', 'sluice-executor', '--output', 'jsonpath={.spec.template.spec.containers[0].image}');
const countMigrations = (): number => Number(queryDatabase('select count(*) from knex_migrations'));

step('runs two pods of each service, that may do nothing to their node', () => {
  for (const service of services) {
    const pods = podsOf(service);
    expect([service, pods.length]).toEqual([service, 2]);
    const [pod = ''] = pods;
    const inPod = (...command: string[]) => attempt('kubectl', [...namespaceArguments, 'exec', pod, '--', ...command]);
    expect(inPod('id', '-u').stdout.trim()).toBe('10001');
    expect(inPod('touch', '/app/x').stderr).toMatch(/read-only file system/i);
    expect(inPod('ls', '/var/run/secrets/kubernetes.io').status).not.toBe(0);
    const [, rssKb] = /^VmRSS:\s+(\d+) kB$/m.exec(inPod('cat', '/proc/1/status').stdout) ?? [];
    printLine(
      `  ${service.padEnd(14)} ${Math.round((Number(rssKb) * 1_024) / 1e6)} MB, ready ${readySeconds(pod)} s after its start`,
    );
  }
});

step('keeps one pod of each service through a drain', () => {
  const budgets = kubectl('get', 'pdb', '--output', 'jsonpath={.items[*].status.disruptionsAllowed}');
  expect(budgets.split(' ')).toEqual(services.map(() => '1'));
});

step('walks the tour', async () => {
  const ports = { management: 4100, search: 4200, 'write-gateway': 4300, 'trial-sandbox': 4600 };
  const forwards = await Promise.all(Object.entries(ports).map(([name, port]) => portForward(`sluice-${name}`, port)));
  const [management = '', search = '', write = '', sandboxUrl = ''] = forwards.map(({ url }) => url);
  try {
    const adminKey = kubectl(
      'get',
      'secret',
      'sluice-keys',
      '--output',
      'go-template={{.data.SLUICE_ADMIN_KEY | base64decode}}',
    );
    const addresses = { baseUrl: `${management}/v1`, searchUrl: `${search}/v1`, writeUrl: `${write}/v1`, sandboxUrl };
    const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));
    expect(await tourOfRunning({ addresses, adminKey, folder, print: printLine })).toBe(true);
  } finally {
    for (const forward of forwards) forward.close();
  }
});

step(
  'loses nothing while its pods are deleted',
  async () => {
    const args = [
      'test',
      release,
      ...namespaceArguments,
      '--logs',
      '--timeout',
      '15m',
      '--filter',
      'name=sluice-crash-test',
    ];
    const { status, stdout } = await runAside('helm', args);
    printLine(stdout.slice(Math.max(0, stdout.indexOf('POD LOGS'))).trim());
    expect(stdout).toMatch(/^\d+ accepted, 0 lost, 0 duplicate, recovery [\d.]+ s /m);
    expect(status).toBe(0);
  },
  { withinMs: 1_200_000 },
);

step('lets the crash test delete no pod but those of the services', () => {
  const deletion = (pod: string) =>
    attempt('kubectl', [...namespaceArguments, 'delete', pod, '--dry-run=server', '--as', account]);
  const [sandbox = ''] = podsOf('trial-sandbox');
  const [executor = ''] = podsOf('executor');
  expect(deletion(sandbox).stderr).toContain("the crash test deletes pods of its own release's services only");
  expect(deletion(executor)).toMatchObject({ status: 0 });
});

step(
  'refuses another key ring before the first request',
  async () => {
    const kept = keysOf();
    const ring = (text: string) =>
      kubectl('patch', 'secret', 'sluice-keys', '--patch', JSON.stringify({ data: JSON.parse(text) }));
    const other = Buffer.from(`k1:${Buffer.alloc(32, 9).toString('base64')}`).toString('base64');
    ring(JSON.stringify({ SLUICE_CREDENTIALS_KEYS: other }));
    kubectl('rollout', 'restart', 'deployment/sluice-executor');
    const said = await waitForRefusal();
    printLine(`  ${said}`);
    // The old pods go on until a new one is ready, and none is.
    expect(kubectl('get', 'deploy', 'sluice-executor', '--output', 'jsonpath={.status.readyReplicas}')).toBe('2');
    ring(kept);
    kubectl('rollout', 'undo', 'deployment/sluice-executor');
    kubectl('rollout', 'status', 'deployment/sluice-executor', '--timeout', '180s');
  },
  { isBase: true },
);

step(
  'keeps the key ring over uninstall and a second install',
  () => {
    const before = keysOf();
    run('helm', 'uninstall', release, ...namespaceArguments, '--wait');
    expect(keysOf()).toBe(before);
    printLine(`second helm install --wait: ${install(valuesOf(tag)).seconds} s`);
    expect(keysOf()).toBe(before);
  },
  { isBase: true },
);

step('installs a trial in the same namespace', () => {
  run('helm', 'uninstall', release, ...namespaceArguments, '--wait');
  printLine(`helm install --wait of a trial: ${install(trialValues()).seconds} s`);
  passQuickCheck();
});

step('uninstalls everything but the key ring', () => {
  run('helm', 'uninstall', release, ...namespaceArguments, '--wait');
  const kinds = 'deploy,service,secret,configmap,cronjob,job,pdb,hpa,networkpolicy,role,rolebinding,serviceaccount';
  const left = kubectl('get', kinds, '--selector', `app.kubernetes.io/instance=${release}`, '--output', 'name');
  expect(left).toBe('secret/sluice-keys');
});

/** One value, from the Postgres of the platform. */
function queryDatabase(sql: string): string {
  const psql = ['psql', 'postgres://sluice:trial@127.0.0.1/sluice', '--tuples-only', '--no-align', '--command', sql];
  return kubectl('exec', 'deployment/platform-trial-postgres', '--', ...psql);
}

async function timed(args: readonly string[]): Promise<number> {
  const begunAtMs = performance.now();
  const { status, stderr } = await runAside('helm', args);
  if (status !== 0) throw new Error(`helm ${args.join(' ')}: ${stderr}`);
  return secondsSince(begunAtMs);
}

/** From the start of its container to its readiness; the cluster reports whole seconds. */
function readySeconds(pod: string): number {
  const path =
    '{.status.containerStatuses[0].state.running.startedAt} {.status.conditions[?(@.type=="Ready")].lastTransitionTime}';
  const [startedAt = '', readyAt = ''] = kubectl('get', pod, '--output', `jsonpath=${path}`).split(' ');
  return (Date.parse(readyAt) - Date.parse(startedAt)) / 1_000;
}

/** What the newest executor says before it ends. */
async function waitForRefusal(): Promise<string> {
  for (let tries = 0; tries < 120; tries += 1) {
    await sleep(1_000);
    const selector = `app.kubernetes.io/instance=${release},app.kubernetes.io/component=executor`;
    const path = '{range .items[*]}{.metadata.name} {.status.containerStatuses[0].restartCount}{"\\n"}{end}';
    const pods = kubectl('get', 'pods', '--selector', selector, '--output', `jsonpath=${path}`).split('\n');
    const [refused] = pods.filter((line) => Number(line.split(' ')[1]) > 0);
    if (refused === undefined) continue;
    const { stdout, stderr } = attempt('kubectl', [
      ...namespaceArguments,
      'logs',
      '--previous',
      refused.split(' ')[0] ?? '',
    ]);
    if (/key ring|SLUICE_CREDENTIALS_KEYS/.test(stdout + stderr)) return (stdout + stderr).trim();
  }
  throw new Error('no executor refused the key ring within two minutes');
}
