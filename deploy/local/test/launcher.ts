import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';

export interface LauncherOptions {
  readonly args: readonly string[];
  readonly dataDir: string;
  readonly portBase: number;
  /** Beside those of the tests. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A launcher as a process, as `npm start` runs it. */
export interface Launcher {
  /** Everything it has printed so far. */
  output(): string;
  /** Waits for its end. @returns the exit code */
  exit(): Promise<number>;
  kill(signal: NodeJS.Signals): void;
}

const executable = join(__dirname, '../dist/index.js');

/** The addresses of the tests' own stack are taken away: an embedded launcher brings its Postgres. */
export function startLauncher({ args, dataDir, portBase, env: more }: LauncherOptions): Launcher {
  const { DATABASE_URL: _database, KAFKA_BROKERS: _kafka, REDIS_URL: _redis, ...env } = readProcessEnv();
  const own = { SLUICE_DATA_DIR: dataDir, SLUICE_PORT_BASE: String(portBase) };
  const child = spawn(process.execPath, [executable, ...args], {
    env: { ...env, ...own, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const ended = once(child, 'close') as Promise<[number]>;
  return {
    output: () => output,
    exit: async () => (await ended)[0],
    kill: (signal) => child.kill(signal),
  };
}

/** A data folder that Postgres can live in also when the tests run as root. @returns its path and how to remove it */
export function makeDataDir(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'sluice-launcher-'));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
