import { rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt, kubectl, release, root, run, settings } from './run';

export const services = ['management', 'search', 'write-gateway', 'batcher', 'executor'];
const images = [...services, 'migrate', 'sandbox', 'crash-test'];
const standIns = ['postgres', 'redis', 'kafka'].map((name) => `localhost/sluice-stand-in/${name}:1`);

/** Puts every image of both versions into the cluster, in one archive: they share most of their layers. */
export function loadImages(): void {
  // They are there already.
  if (settings.load === 'none') return;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));
  const [program = '', ...args] = settings.load.split(' ').filter((word) => word !== '');
  const tagged = images.flatMap((name) =>
    [settings.tag, settings.nextTag].map((tag) => `localhost/sluice/${name}:${tag}`),
  );
  const archive = join(folder, 'images.tar');
  const format = settings.engine === 'podman' ? ['--multi-image-archive', '--format', 'docker-archive'] : [];
  const all = [...tagged, ...(settings.withStandIns ? standIns : [])];
  run(settings.engine, 'save', ...format, '--output', archive, ...all);
  run(program, ...args, archive);
  rmSync(folder, { recursive: true });
}

/** Values and namespace of every command of helm. */
export const namespaceArguments = ['--namespace', settings.namespace];
export function valuesOf(tag: string): string[] {
  const files = [
    'tests/cluster/values.yaml',
    ...(settings.withStandIns ? ['tests/cluster/stand-ins/values.yaml'] : []),
  ];
  // The sandbox keeps its records in memory, so it stays what it was while the services are upgraded.
  const set = `image.tag=${tag},sandbox.image=localhost/sluice/sandbox:${settings.tag}`;
  return [...files.flatMap((file) => ['--values', join(root, file)]), '--set', set];
}

/** `helm install --wait`. @returns what it printed, and how long it took in seconds */
export function install(): { readonly notes: string; readonly seconds: number } {
  const begunAtMs = performance.now();
  const args = [
    'install',
    release,
    'helm/sluice',
    ...namespaceArguments,
    '--create-namespace',
    '--wait',
    '--timeout',
    '10m',
  ];
  const notes = run('helm', ...args, ...valuesOf(settings.tag));
  return { notes, seconds: secondsSince(begunAtMs) };
}

export function secondsSince(begunAtMs: number): number {
  return Math.round((performance.now() - begunAtMs) / 100) / 10;
}

/** Nothing of an earlier run is left. Waits until its pods are gone. */
export function removeEverything(): void {
  attempt('helm', ['uninstall', release, ...namespaceArguments, '--wait']);
  attempt('kubectl', ['delete', 'namespace', settings.namespace, '--ignore-not-found', '--wait', '--timeout', '120s']);
}

/** The pods of a service that run now, by name. */
export function podsOf(service: string): string[] {
  const selector = `app.kubernetes.io/instance=${release},app.kubernetes.io/component=${service}`;
  const names = kubectl(
    'get',
    'pods',
    '--selector',
    selector,
    '--field-selector',
    'status.phase=Running',
    '--output',
    'name',
  );
  return names.split('\n').filter((name) => name !== '');
}
