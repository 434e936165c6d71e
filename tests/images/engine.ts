import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';

const root = join(__dirname, '..', '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
/** Set by `npm run test:images` and `npm run test:cluster`. */
const { IMAGES_ENGINE: program = 'docker', IMAGES_TAG = version } = readProcessEnv();
/** The version that is tested. */
export const tag = IMAGES_TAG;
/** Longest command of the engine, far beyond what a busy machine needs: no time decides a test. */
const engineMs = 600_000;
const bufferBytes = 64 * 1024 * 1024;

export interface Output {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The container engine that was found, docker or podman. @param input what it reads from standard input. @default nothing */
export function tryEngine(
  args: readonly string[],
  { timeoutMs = engineMs, input = '' }: { readonly timeoutMs?: number; readonly input?: string } = {},
): Output {
  return spawnSync(program, args, { encoding: 'utf8', maxBuffer: bufferBytes, timeout: timeoutMs, input });
}

/** Its standard output. Anything but 0 fails the test with what it said. */
export function engine(...args: readonly string[]): string {
  const { status, stdout, stderr } = tryEngine(args);
  if (status === 0) return stdout.trim();
  throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`);
}

export function imageOf(target: string): string {
  return `localhost/sluice/${target}:${tag}`;
}

/** What an image says of itself; both engines spell these members alike. */
export interface ImageFacts {
  readonly Size: number;
  readonly Config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Cmd: readonly string[];
    readonly Labels: Readonly<Record<string, string>>;
    readonly Healthcheck?: { readonly Test: readonly string[] };
  };
}

export function factsOf(target: string): ImageFacts {
  const [facts] = JSON.parse(engine('image', 'inspect', imageOf(target))) as [
    ImageFacts & { readonly Healthcheck?: ImageFacts['Config']['Healthcheck'] },
  ];
  // Podman shows the health check beside the configuration.
  const { Healthcheck: beside } = facts;
  return beside === undefined ? facts : { ...facts, Config: { Healthcheck: beside, ...facts.Config } };
}

/** Runs a shell line in a fresh container of the image, and gives what it printed. */
export function inImage(target: string, line: string): string {
  return engine('run', '--rm', '--entrypoint', 'sh', imageOf(target), '-c', line);
}
