import { setTimeout as sleep } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { attempt, kubectl, release, run, settings, type Output } from './run';
import { namespaceArguments, valuesOf } from './install';

const name = 'sluice-load';
/** Longer than any upgrade: the load runs until a signal ends it. */
const seconds = 1_200;
const endsWithinMs = 1_200_000;
/** The load asks for more calls than two accounts take in a second: what is left of them when it ends takes as long again. */
const boundSeconds = 900;

interface Manifest {
  kind: string;
  metadata: { name: string; annotations?: unknown };
  spec: { containers: [{ env: { name: string; value?: string }[] }] };
}

/** The chart's own crash test without deletions, so that no request may fail: writes at a steady rate until a signal ends it. */
export async function startLoad(): Promise<void> {
  const { rate } = settings;
  const load = `crashTest.deletions=0,crashTest.perSecond=${rate},crashTest.writes=${rate * seconds}`;
  const args = [
    'template',
    release,
    'helm/sluice',
    ...namespaceArguments,
    '--kube-version',
    '1.34.0',
    ...valuesOf(settings.tag),
  ];
  const text = run('helm', ...args, '--set', load, '--show-only', 'templates/tests/crash-test.yaml');
  const pod = parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .find((manifest) => manifest?.kind === 'Pod');
  if (!pod) throw new Error('the chart renders no crash test');
  pod.metadata.name = name;
  delete pod.metadata.annotations;
  pod.spec.containers[0].env.push({ name: 'CRASH_TEST_BOUND_SECONDS', value: String(boundSeconds) });
  kubectl('delete', 'pod', name, '--ignore-not-found');
  const { status, stderr } = attempt(
    'kubectl',
    [...namespaceArguments, 'apply', '--filename', '-'],
    JSON.stringify(pod),
  );
  if (status !== 0) throw new Error(stderr);
  await until('the load writes', () => logs().includes('writing '));
}

/** Signals it to end, and waits until it has compared. */
export async function endLoad(): Promise<Output> {
  kubectl('exec', name, '--', 'node', '-e', 'process.kill(1)');
  await until('the load has been judged', () => ['Succeeded', 'Failed'].includes(phase()));
  return { status: phase() === 'Succeeded' ? 0 : 1, stdout: logs(), stderr: '' };
}

function phase(): string {
  return kubectl('get', 'pod', name, '--output', 'jsonpath={.status.phase}');
}

function logs(): string {
  return attempt('kubectl', [...namespaceArguments, 'logs', name]).stdout;
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const begunAtMs = performance.now();
  while (!isSo()) {
    if (performance.now() - begunAtMs > endsWithinMs) throw new Error(`not within time: ${what}\n${logs()}`);
    await sleep(500);
  }
}
