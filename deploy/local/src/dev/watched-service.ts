import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenEnv } from '../footprints/service-env';
import { recordProcess } from '../run-folder/process-records';
import { servicePorts, type ProcessName } from '../service-ports';
import { spawnService } from '../spawn-service';
import { createPrinter, printOutput } from './prefixed-output';

export interface WatchedServiceOptions {
  readonly folder: string;
  readonly portBase: number;
  readonly env: Readonly<Record<string, string>>;
  readonly withInspector: boolean;
}

/** Node's own default; each service adds its distance, so that several can be looked into at once. */
const inspectorBase = 9_229;
const patienceMs = 15_000;

/** Runs a service from what the compiler writes, again after each change. @returns a function that ends it */
export function startWatchedService(name: ProcessName, options: WatchedServiceOptions): () => Promise<void> {
  const { folder, portBase, env, withInspector } = options;
  const print = createPrinter(name);
  const inspector = withInspector ? [`--inspect=127.0.0.1:${inspectorPortOf(name)}`] : [];
  const child = spawnService(name, {
    env: { ...env, ...listenEnv(portBase, name) },
    stdio: ['ignore', 'pipe', 'pipe'],
    nodeFlags: ['--watch', '--watch-preserve-output', ...inspector],
  });
  printOutput(child, print);
  if (child.pid !== undefined) recordProcess(folder, name, child.pid);
  let isOurs = true;
  child.once('exit', () => isOurs && print('was ended by somebody else, and is not started again'));
  return async () => {
    isOurs = false;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await Promise.race([once(child, 'exit'), sleep(patienceMs, undefined, { ref: false })]);
    child.kill('SIGKILL');
  };
}

export function inspectorPortOf(name: ProcessName): number {
  return inspectorBase + servicePorts[name] / 100;
}
