import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ProcessName } from './service-ports';

export interface SpawnOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: StdioOptions;
  /** Flags for Node itself: `--watch`, `--inspect=…`. */
  readonly nodeFlags?: readonly string[];
  /** Folder of a checkout that is built. @default this one */
  readonly checkout?: string;
}

/**
 * Runs a service's own executable under our Node. It ends when we do (see end-with-launcher), and Ctrl-C in a terminal
 * reaches only us, so that we end the services in their order.
 */
export function spawnService(name: ProcessName, { env, stdio, nodeFlags = [], checkout }: SpawnOptions): ChildProcess {
  const { resolve } = createRequire(checkout === undefined ? __filename : join(checkout, 'services', name, 'index.js'));
  // A package exports its service; the executable lies beside it.
  const executable =
    checkout === undefined
      ? join(dirname(resolve(`@sluice/${name}`)), 'index.js')
      : join(checkout, 'services', name, 'dist', 'index.js');
  const preloaded = [resolve('@sluice/telemetry/register'), require.resolve('./end-with-launcher')];
  const preload = preloaded.flatMap((path) => ['--require', path]);
  const args = [...nodeFlags, '--enable-source-maps', ...preload, executable, `--launcher=${process.pid}`];
  return spawn(process.execPath, args, { env, stdio, detached: true });
}
