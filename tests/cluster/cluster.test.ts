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
  valuesOf,
} from './install';
import { endLoad, startLoad } from './load-pod';
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

beforeAll(() => {
  removeEverything();
  loadImages();
}, 1_800_000);
afterAll(() => removeEverything(), 300_000);

step(
  'installs five services and a trial',
  () => {
    const { notes, seconds } = install();
    printLine(notes);
    printLine(`helm install --wait: ${seconds} s`);
    expect(notes).toContain('Database connections: at most');
  },
  { isBase: true },
);

step('passes helm test', () => {
  const said = run('helm', 'test', release, ...namespaceArguments, '--logs', '--filter', 'name=sluice-quick-check');
  printLine(
    said
      .split('\n')
      .filter((line) => /^(ok|FAILED)|checks passed/.test(line))
      .join('\n'),
  );
  expect(said).toContain('9 of 9 checks passed');
});

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
  'upgrades and rolls back under load, without a failed request',
  async () => {
    await startLoad();
    const upgrade = ['upgrade', release, 'helm/sluice', ...namespaceArguments, '--wait', '--timeout', '5m'];
    const upgradeSeconds = await timed([...upgrade, ...valuesOf(settings.nextTag)]);
    expect(kubectl('get', 'deploy', 'sluice-executor', '--output', 'jsonpath={..image}')).toContain(settings.nextTag);
    const rollbackSeconds = await timed(['rollback', release, ...namespaceArguments, '--wait', '--timeout', '5m']);
    const { status, stdout } = await endLoad();
    printLine(stdout.trim());
    printLine(
      `helm upgrade --wait: ${upgradeSeconds} s, helm rollback --wait: ${rollbackSeconds} s, at ${settings.rate} writes/s`,
    );
    // Which pod came and went when: what a failed request is compared with.
    if (status !== 0) printLine(kubectl('get', 'events', '--sort-by', '.lastTimestamp'));
    expect(stdout).toMatch(/^\d+ accepted, 0 lost, 0 duplicate/m);
    expect(status).toBe(0);
  },
  { withinMs: 1_800_000 },
);

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
    expect(stdout).toMatch(/^\d+ accepted, 0 lost, 0 duplicate, recovery [\d.]+ s$/m);
    expect(status).toBe(0);
  },
  { withinMs: 1_200_000 },
);

step('lets the crash test delete no pod but those of the services', () => {
  const deletion = (pod: string) =>
    attempt('kubectl', [...namespaceArguments, 'delete', pod, '--dry-run=server', '--as', account]);
  const [redis = ''] = podsOf('trial-redis');
  const [executor = ''] = podsOf('executor');
  expect(deletion(redis).stderr).toContain("the crash test deletes pods of its own release's services only");
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
    printLine(`second helm install --wait: ${install().seconds} s`);
    expect(keysOf()).toBe(before);
  },
  { isBase: true },
);

step('uninstalls everything but the key ring', () => {
  run('helm', 'uninstall', release, ...namespaceArguments, '--wait');
  const kinds = 'deploy,service,secret,configmap,job,pdb,hpa,networkpolicy,role,rolebinding,serviceaccount';
  const left = kubectl('get', kinds, '--selector', `app.kubernetes.io/instance=${release}`, '--output', 'name');
  expect(left).toBe('secret/sluice-keys');
});

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
