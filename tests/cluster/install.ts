import { rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt, kubectl, release, root, run, settings } from './run';

export const services = ['management', 'search', 'write-gateway', 'batcher', 'executor'];
/** Of both versions; what only tests need is of the newer one. */
const images = [...services, 'migrate'];
const tools = ['sandbox', 'crash-test'];
const standIns = ['postgres', 'redis', 'kafka'].map((name) => `localhost/sluice-stand-in/${name}:1`);

/** Puts every image of both versions into the cluster, in one archive: they share most of their layers. */
export function loadImages(): void {
  // They are there already.
  if (settings.load === 'none') return;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));
  const [program = '', ...args] = settings.load.split(' ').filter((word) => word !== '');
  const { tag, beforeTag } = settings;
  const imageOf = (name: string, version: string): string => `localhost/sluice/${name}:${version}`;
  const tagged = [
    ...images.map((name) => imageOf(name, beforeTag)),
    ...[...images, ...tools].map((name) => imageOf(name, tag)),
  ];
  const archive = join(folder, 'images.tar');
  const format = settings.engine === 'podman' ? ['--multi-image-archive', '--format', 'docker-archive'] : [];
  const all = [...tagged, ...(settings.withStandIns ? standIns : [])];
  run(settings.engine, 'save', ...format, '--output', archive, ...all);
  run(program, ...args, archive);
  rmSync(folder, { recursive: true });
}

/** The namespace of every command of helm. */
export const namespaceArguments = ['--namespace', settings.namespace];

/** Values of every installation. */
export function commonValues(): string[] {
  const files = ['values.yaml', ...(settings.withStandIns ? ['stand-ins/values.yaml'] : [])];
  return files.flatMap((file) => ['--values', join(root, 'tests/cluster', file)]);
}

/** Values of a version beside the databases of the platform. */
export function valuesOf(tag: string): string[] {
  const { tag: newest } = settings;
  // The sandbox keeps its records in memory, so it stays what it was while the services are upgraded.
  const set = `image.tag=${tag},sandbox.image=localhost/sluice/sandbox:${newest}`;
  return [...commonValues(), '--values', join(root, 'tests/cluster/platform-values.yaml'), '--set', set];
}

/** Values of a trial: the release brings its own Postgres, Redis and Kafka. */
export function trialValues(): string[] {
  return [...commonValues(), '--set', `trial.enabled=true,image.tag=${settings.tag}`];
}

/** `helm install --wait`. @returns what it printed, and how long it took in seconds */
export function install(values: readonly string[]): { readonly notes: string; readonly seconds: number } {
  const begunAtMs = performance.now();
  const args = ['install', release, 'helm/sluice', ...namespaceArguments, '--wait', '--timeout', '10m'];
  const notes = run('helm', ...args, ...values);
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
