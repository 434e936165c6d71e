/**
 * The settings of a real platform, around the release: Pod Security `restricted`, a quota with limits, a taint on every node, and a Postgres and a
 * Redis that take TLS alone, with certificates of a private authority.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { createAuthority } from '../harness/authority';
import { commonValues } from './install';
import { attempt, kubectl, root, run, settings } from './run';

/** Key of the taint; values.yaml tolerates it. */
export const taint = 'sluice.example/platform';
const host = (part: string): string => `platform-trial-${part}`;
const tlsFolder = '/platform/tls';
/** What makes the servers of a trial those of a platform: the chart's own have neither TLS nor a life beyond the release. */
const serverArguments: Readonly<Record<string, readonly string[]>> = {
  postgres: ['ssl=on', `ssl_cert_file=${tlsFolder}/tls.crt`, `ssl_key_file=${tlsFolder}/tls.key`]
    .concat('hba_file=/platform/pg_hba.conf')
    .map((setting) => `-c${setting}`),
  redis: ['--port', '0', '--tls-port', '6379', '--tls-auth-clients', 'no']
    .concat('--tls-cert-file', `${tlsFolder}/tls.crt`)
    .concat('--tls-key-file', `${tlsFolder}/tls.key`),
};
const volumes = [
  // Postgres takes a key that others cannot read.
  { name: 'tls', secret: { secretName: 'platform-tls', defaultMode: 0o440 } },
  { name: 'hba', configMap: { name: 'platform' } },
];
const volumeMounts = [
  { name: 'tls', mountPath: tlsFolder, readOnly: true },
  { name: 'hba', mountPath: '/platform/pg_hba.conf', subPath: 'pg_hba.conf', readOnly: true },
];

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec?: { template?: { spec: { containers: { name: string; args?: string[] }[] } } };
}

/** Makes the namespace and what is in it before the release, and waits until its servers take connections. */
export function preparePlatform(): void {
  const text = readFileSync(join(root, 'tests/cluster/platform.yaml'), 'utf8');
  apply(readManifests(text.replaceAll('${namespace}', settings.namespace)));
  kubectl('taint', 'nodes', '--all', `${taint}=:NoSchedule`, '--overwrite');
  apply(makeSecrets());
  apply(renderServers());
  for (const part of ['postgres', 'redis', 'kafka'])
    kubectl('rollout', 'status', `deployment/${host(part)}`, '--timeout', '300s');
}

/** The nodes take every pod again. */
export function untaintNodes(): void {
  attempt('kubectl', ['taint', 'nodes', '--all', `${taint}:NoSchedule-`]);
}

function makeSecrets(): object[] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));
  const authority = createAuthority(folder);
  const { cert, key } = authority.issue('platform', [host('postgres'), host('redis')]);
  rmSync(folder, { recursive: true });
  const urls = {
    DATABASE_URL: `postgres://sluice:trial@${host('postgres')}:5432/sluice?sslmode=verify-full`,
    REDIS_URL: `rediss://${host('redis')}:6379`,
  };
  const secret = (name: string, stringData: object) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData,
  });
  return [
    secret('platform-ca', { 'ca.crt': authority.ca }),
    secret('platform-tls', { 'tls.crt': cert, 'tls.key': key }),
    secret('platform-urls', urls),
  ];
}

/** The servers of the chart's trial under names of their own, with TLS. They outlive the release. */
function renderServers(): Manifest[] {
  const args = [
    'template',
    'platform',
    'helm/sluice',
    '--kube-version',
    '1.34.0',
    '--show-only',
    'templates/trial.yaml',
  ];
  const set = ['--set', 'fullnameOverride=platform,trial.enabled=true'];
  for (const [name, value] of Object.entries({ extraVolumes: volumes, extraVolumeMounts: volumeMounts }))
    set.push('--set-json', `trial.${name}=${JSON.stringify(value)}`);
  const manifests = readManifests(run('helm', ...args, ...commonValues(), ...set));
  for (const container of manifests.flatMap(({ spec }) => spec?.template?.spec.containers ?? []))
    container.args?.push(...(serverArguments[container.name] ?? []));
  return manifests.filter(({ metadata }) => metadata.name !== host('sandbox'));
}

function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
}

function apply(items: readonly object[]): void {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const { status, stderr } = attempt('kubectl', ['--namespace', settings.namespace, 'apply', '--filename', '-'], list);
  if (status !== 0) throw new Error(stderr);
}
