import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';

export const root = join(__dirname, '..', '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const given = readProcessEnv();

/** Set by `npm run test:cluster`. */
export const settings = {
  engine: given['IMAGES_ENGINE'] ?? 'docker',
  /** A command that takes the name of an archive. */
  load: given['CLUSTER_LOAD'] ?? '',
  tag: given['IMAGES_TAG'] ?? version,
  /** The version that is upgraded. */
  beforeTag: given['CLUSTER_BEFORE'] ?? `${version}-before`,
  /** What that one is, for the report. */
  before: given['CLUSTER_BEFORE_NAME'] ?? 'the same tree',
  /** Writes per second during upgrade and rollback. */
  rate: Number(given['CLUSTER_RATE'] ?? '200'),
  namespace: given['CLUSTER_NAMESPACE'] ?? 'sluice-test',
  withStandIns: given['CLUSTER_STAND_INS'] === 'true',
};

export const release = 'sluice';
const bufferBytes = 256 * 1024 * 1024;

export interface Output {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; what it ended with is for the caller to judge. */
export function attempt(program: string, args: readonly string[], input = ''): Output {
  return spawnSync(program, args, { cwd: root, encoding: 'utf8', input, maxBuffer: bufferBytes, timeout: 1_200_000 });
}

/** Its standard output. Anything but 0 fails the test with what it said. */
export function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = attempt(program, args);
  if (status === 0) return stdout.trim();
  throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stderr}\n${stdout}`);
}

export function kubectl(...args: readonly string[]): string {
  return run('kubectl', '--namespace', settings.namespace, ...args);
}

/** The same while this process goes on. */
export function runAside(program: string, args: readonly string[]): Promise<Output> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root });
    const texts = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (texts.stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (texts.stderr += String(chunk)));
    child.once('close', (status) => resolve({ status, ...texts }));
  });
}

/** One line of the report; jest's own comes after all steps. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
