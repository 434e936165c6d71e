import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsOf } from '../harness/service-settings';
import { containersOf, lint, notesOf, render, type Container, type Manifest, type PodSpec } from './render';
import { findTool, helm, withHelm } from './tools';
import { matrix, refused } from './values';

const services = ['management', 'search', 'write-gateway', 'batcher', 'executor'];
const validator = findTool('kubectl-validate') ?? '';
const withBoth = helm === '' || validator === '' ? it.skip : it;

describe.each(Object.entries(matrix))('%s', (_name, values) => {
  withHelm('passes helm lint --strict', () => {
    expect(lint(helm, values)).toBe('');
  });

  withHelm('gives each service what it requires, and nothing it does not know', () => {
    const { manifests } = render(helm, values);
    for (const service of services) {
      const given = containerOf(manifests, service).env?.map(({ name }) => name) ?? [];
      const { known, required } = settingsOf(service);
      // OTEL_* is read by OpenTelemetry itself.
      const odd = given.filter((name) => !known.includes(name) && !name.startsWith('OTEL_'));
      expect([service, odd]).toEqual([service, []]);
      expect([service, required.filter((name) => !given.includes(name))]).toEqual([service, []]);
      expect(new Set(given).size).toBe(given.length);
    }
  });

  // Besides what pod-security asks of every pod.
  withHelm('lets no container of ours do more than it must', () => {
    const pods = podsOf(render(helm, values).manifests);
    expect(pods.length).toBeGreaterThan(5);
    for (const pod of pods) {
      // The crash test alone asks the Kubernetes API.
      const isCrashTest = pod.containers.some(({ name }) => name === 'crash-test');
      expect(pod).toMatchObject({ automountServiceAccountToken: isCrashTest });
      const ours = containersOf(pod).filter(({ image }) => image.includes('sluice/'));
      for (const { securityContext } of ours)
        expect([pod.enableServiceLinks, securityContext?.['readOnlyRootFilesystem']]).toEqual([false, true]);
    }
  });
});

withBoth('whatever the values, each manifest is valid to the letter for Kubernetes', () => {
  const known = Object.entries(matrix).map(([name, values]) => {
    // Custom resources of the Prometheus operator: their schemas are not built in.
    const { manifests } = render(helm, values);
    return [name, manifests.filter(({ apiVersion }) => !apiVersion.startsWith('monitoring.coreos'))] as const;
  });
  for (const [name, manifests] of known) expect([name, manifests.length > 10]).toEqual([name, true]);
  expect(faultsOf(known)).toBe('');
});

withHelm.each(refused)('refuses %s', (_name, values, reason) => {
  expect(render(helm, values).refusal).toMatch(reason);
});

withHelm.each([
  ['pods of its namespace', 'Secrets of the user', { podSelector: {} }],
  [
    'the namespace that is named',
    'everything on',
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
  ],
])('lets only %s ask for metrics', (_who, values, from) => {
  const isService = ({ kind, metadata }: Manifest) =>
    kind === 'NetworkPolicy' && services.includes(metadata.name.replace('sluice-', ''));
  const policies = render(helm, matrix[values] ?? {}).manifests.filter(isService);
  expect(policies).toHaveLength(services.length);
  for (const { spec } of policies) expect(spec).toMatchObject({ ingress: [{}, { from: [from] }] });
});

withHelm('keeps secrets out of everything but Secrets, and the keys for ever', () => {
  const { manifests } = render(helm, matrix['URLs as values, generated keys'] ?? {});
  const open = manifests.filter(({ kind }) => kind !== 'Secret');
  expect(JSON.stringify(open)).not.toMatch(/secret@postgres|redis\.internal/);
  const keys = manifests.find(({ metadata }) => metadata.name === 'sluice-keys');
  expect(keys?.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
  const ring = Buffer.from(keys?.data?.['SLUICE_CREDENTIALS_KEYS'] ?? '', 'base64').toString();
  expect(ring).toMatch(/^k1:[A-Za-z0-9+/]{43}=$/);
});

withHelm('migrates before the services of a new version start', () => {
  const hookOf = (values: object) =>
    render(helm, values).manifests.find(({ kind }) => kind === 'Job')?.metadata.annotations?.['helm.sh/hook'];
  expect(hookOf(matrix['Secrets of the user'] ?? {})).toBe('pre-install,pre-upgrade');
  expect(hookOf(matrix['a trial'] ?? {})).toBe('pre-upgrade');
});

// A roll-out must cut no synchronous write, however slow its provider is: a request has the first half of the time to come and the second to end.
withHelm('gives a pod that leaves the time of its slowest request, before the node kills it', () => {
  const { manifests } = render(helm, matrix['Secrets of the user'] ?? {});
  for (const service of services) {
    const { env } = containerOf(manifests, service);
    const valueOf = (name: string) => Number(env?.find((each) => each.name === name)?.value ?? 0);
    const shutdownMs = valueOf('SLUICE_SHUTDOWN_MS');
    expect(shutdownMs).toBeGreaterThanOrEqual(2 * valueOf('SLUICE_CALL_TIMEOUT_MS'));
    // 5 s more: for closing pools and leaving groups.
    const killedMs = (podOf(manifests, service).terminationGracePeriodSeconds ?? 0) * 1_000;
    expect(killedMs).toBeGreaterThan(valueOf('SLUICE_DRAIN_DELAY_MS') + shutdownMs + 5_000);
  }
});

// A number that the chart itself refuses would be no advice.
withHelm.each([
  [{ callTimeoutMs: 300_000, shutdownMs: 599_999 }, { shutdownMs: 600_000 }],
  [
    { callTimeoutMs: 300_001, shutdownMs: 600_000 },
    { shutdownMs: 600_000, callTimeoutMs: 300_000 },
  ],
  [{ callTimeoutMs: 600_000 }, { shutdownMs: 600_000, callTimeoutMs: 300_000 }],
  [{ callTimeoutMs: 45_000 }, { shutdownMs: 90_000 }],
])('advises with %j what the chart takes and what is enough', (settings, better) => {
  const values = { ...matrix['Secrets of the user'], settings };
  const advised = /Raise it to (\d+)(?:, which is the most, and lower settings\.callTimeoutMs to (\d+))?;/.exec(
    notesOf(helm, values),
  );
  const [, shutdownMs, callTimeoutMs] = advised ?? [];
  const taken = { shutdownMs: Number(shutdownMs), ...(callTimeoutMs && { callTimeoutMs: Number(callTimeoutMs) }) };
  expect(taken).toEqual(better);
  const followed = notesOf(helm, { ...values, settings: { ...settings, ...taken } });
  expect(followed).not.toMatch(/settings\.shutdownMs/);
});

withHelm('lets the crash test delete pods of its own release, and only while it is wanted', () => {
  const { manifests } = render(helm, matrix['a crash test beside services of the user'] ?? {});
  const policy = manifests.find(({ kind }) => kind === 'ValidatingAdmissionPolicy');
  const expression = policy?.spec?.validations?.[0]?.expression;
  expect(expression).toContain(`'sluice'`);
  expect(expression).toContain(`['batcher', 'executor', 'management', 'search', 'write-gateway']`);
  const rules = manifests.filter(({ kind }) => kind === 'Role').flatMap((role) => role.rules ?? []);
  expect(rules).toEqual([{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'delete'] }]);
  const kinds = render(helm, matrix['a trial'] ?? {}).manifests.map(({ kind }) => kind);
  expect(kinds.filter((kind) => /^Role|^Validating/.test(kind))).toEqual([]);
});

withHelm('mounts the provider files where every service reads them, and replaces pods when they change', () => {
  const files = { 'stockroom.yaml': 'format: 1\nname: stockroom\n' };
  const renderWith = (providers: object) => render(helm, { ...matrix['Secrets of the user'], providers }).manifests;
  const manifests = renderWith({ files });
  const made = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'sluice-providers');
  expect(made?.data).toEqual(files);
  const sumOf = (all: readonly Manifest[]) =>
    all.find(({ kind }) => kind === 'Deployment')?.spec?.template?.metadata?.annotations?.['checksum/providers'];
  const changed = renderWith({ files: { 'stockroom.yaml': 'format: 1\nname: other\n' } });
  expect(sumOf(manifests)).toBeDefined();
  expect(sumOf(changed)).not.toBe(sumOf(manifests));
  for (const [all, configMap] of [
    [manifests, 'sluice-providers'],
    [renderWith({ filesConfigMap: 'ours' }), 'ours'],
  ] as const) {
    for (const service of services) {
      const { env, volumeMounts } = containerOf(all, service);
      const folder = env?.find(({ name }) => name === 'SLUICE_PROVIDERS_DIR')?.value;
      expect(volumeMounts).toEqual([{ name: 'providers', mountPath: folder, readOnly: true }]);
      expect(podOf(all, service).volumes).toEqual([{ name: 'providers', configMap: { name: configMap } }]);
    }
  }
});

withHelm('says the budget of connections, and warns when it is too small', () => {
  const larger = { management: { databasePool: 5 }, executor: { databasePool: 10 } };
  const notes = notesOf(helm, { ...matrix['Secrets of the user'], services: larger });
  expect(notes).toMatch(/Database connections: at most 105 .*\n.* the server allows 100/);
  expect(notes).toContain('WARNING: that is more than it allows');
});

function podsOf(manifests: readonly Manifest[]): PodSpec[] {
  return manifests.flatMap(({ kind, spec }) => spec?.template?.spec ?? (kind === 'Pod' ? (spec as PodSpec) : []));
}

function containerOf(manifests: readonly Manifest[], service: string): Container {
  const [container] = podOf(manifests, service).containers;
  if (container === undefined) throw new Error(`${service} has no container`);
  return container;
}

function podOf(manifests: readonly Manifest[], service: string): PodSpec {
  const isMeant = ({ kind, metadata }: Manifest) => kind === 'Deployment' && metadata.name === `sluice-${service}`;
  const [pod] = podsOf(manifests.filter(isMeant));
  if (pod === undefined) throw new Error(`${service} has no pod`);
  return pod;
}

/** What the validator says of all renderings; empty when each manifest is valid. An unknown field is a fault. */
function faultsOf(renderings: readonly (readonly [name: string, manifests: readonly Manifest[]])[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-manifests-'));
  const files = renderings.flatMap(([name, manifests]) =>
    manifests.map((manifest, at) => {
      const file = join(folder, `${name.replaceAll(/\W/g, '-')}-${at}-${manifest.kind}.json`);
      writeFileSync(file, JSON.stringify(manifest));
      return file;
    }),
  );
  const { status, stdout, stderr } = spawnSync(validator, [...files, '--version', '1.30'], { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}
