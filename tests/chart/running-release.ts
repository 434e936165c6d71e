import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chart, parseManifests, valuesFile, type Manifest } from './render';

/**
 * Renders the chart as an upgrade of a release does whose Deployments have so many replicas: beside a server that answers what helm looks up.
 * It is no API server: it knows these Deployments and nothing else.
 */
export async function renderBeside(
  helm: string,
  values: object,
  replicas: Readonly<Record<string, number>>,
): Promise<readonly Manifest[]> {
  const server = createServer((req, res) => answer(req, res, replicas));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const kubeconfig = join(mkdtempSync(join(tmpdir(), 'sluice-kube-')), 'config');
  const cluster = { name: 'a', cluster: { server: `http://127.0.0.1:${port}` } };
  const context = { name: 'a', context: { cluster: 'a', user: 'a' } };
  const config = { apiVersion: 'v1', kind: 'Config', clusters: [cluster], contexts: [context], 'current-context': 'a' };
  writeFileSync(kubeconfig, JSON.stringify({ ...config, users: [{ name: 'a', user: {} }] }));
  const args = [
    'template',
    'sluice',
    chart,
    '--namespace',
    'sluice',
    '--is-upgrade',
    '--dry-run=server',
    '--disable-openapi-validation',
  ];
  try {
    return parseManifests(await run(helm, [...args, '--kubeconfig', kubeconfig, '--values', valuesFile(values)]));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args);
    const texts = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (texts.stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (texts.stderr += String(chunk)));
    child.once('close', (code) => (code === 0 ? resolve(texts.stdout) : reject(new Error(texts.stderr))));
  });
}

/** What the chart makes: helm asks which kinds there are. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  v1: ['ConfigMap', 'Pod', 'Secret', 'Service', 'ServiceAccount'],
  'apps/v1': ['Deployment'],
  'autoscaling/v2': ['HorizontalPodAutoscaler'],
  'batch/v1': ['CronJob', 'Job'],
  'networking.k8s.io/v1': ['NetworkPolicy'],
  'policy/v1': ['PodDisruptionBudget'],
};
const pluralOf = (kind: string) => kind.toLowerCase().replace(/y$/, 'ie') + 's';
const resourceOf = (kind: string) => ({
  name: pluralOf(kind),
  kind,
  namespaced: true,
  singularName: '',
  verbs: ['get'],
});
const groups = Object.keys(kinds).filter((version) => version !== 'v1');

const known: Readonly<Record<string, object>> = {
  '/version': { major: '1', minor: '34', gitVersion: 'v1.34.0' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.map((groupVersion) => {
      const [name, version] = groupVersion.split('/');
      return { name, versions: [{ groupVersion, version }] };
    }),
  },
  ...Object.fromEntries(
    Object.entries(kinds).map(([groupVersion, names]) => [
      groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`,
      { kind: 'APIResourceList', groupVersion, resources: names.map((kind) => resourceOf(kind)) },
    ]),
  ),
};

function answer(req: IncomingMessage, res: ServerResponse, replicas: Readonly<Record<string, number>>): void {
  const path = (req.url ?? '').split('?')[0] ?? '';
  const [, name = ''] = /^\/apis\/apps\/v1\/namespaces\/sluice\/deployments\/(.+)$/.exec(path) ?? [];
  const count = replicas[name];
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec: { replicas: count } };
  const body = known[path] ?? (count === undefined ? undefined : deployment);
  const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };
  res.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body ?? missing));
}
