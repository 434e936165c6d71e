import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeEnding, logTail, unavailable } from '@sluice/stack';
import { createPrinter, printOutput } from './dev-output';
import { listenEnv, publicEnv } from './footprints/service-env';
import { type ProcessName, servicePorts } from './service-ports';

export interface ServiceProcessesOptions {
  /** Base of the ports; each service adds its own distance. */
  readonly portBase: number;
  /** What every process gets: DATABASE_URL, KAFKA_BROKERS, REDIS_URL, keys. */
  readonly env: Readonly<Record<string, string>>;
  /** One log file per service, `<name>.log`. */
  readonly logDir: string;
  /** Longest wait for a service to become ready; one that ends is noticed at once. @default 120 000 */
  readonly readyMs?: number;
  /** Folder of a checkout that is built, whose services run. @default this one */
  readonly checkout?: string;
  /** Called with each process as soon as there is one. */
  readonly onSpawn?: (name: ProcessName, pid: number) => void;
  /** Called with a process that was ready and ended though we did not end it. `logTail` has the path and the last lines of its log. */
  readonly onDeath?: (name: ProcessName, how: string, logTail: string) => void;
  /** Each starts again when its code changes, its log is printed, and none is waited for. */
  readonly watch?: { readonly isInspected: boolean };
}

/** Services as operating-system processes: started, killed and started again by name. */
export interface ServiceProcesses {
  url(name: ProcessName): string;
  pid(name: ProcessName): number | undefined;
  /** Starts a service and waits until it is ready. `env` adds to, or replaces, what every process gets. */
  start(name: ProcessName, env?: Readonly<Record<string, string>>): Promise<void>;
  /** Sends a signal and waits until the process is gone; SIGSTOP and SIGCONT return at once. */
  kill(name: ProcessName, signal: NodeJS.Signals): Promise<void>;
  /** SIGTERM for all, SIGKILL for what is left after 30 s. */
  stop(): Promise<void>;
}

/** More than a service takes by its settings: 10 s for work in flight, 5 s for its pools, and a drain delay. */
const stopMs = 30_000;
/** Longest wait for one answer to the question whether a service is ready. */
const probeMs = 5_000;

export function createServiceProcesses(options: ServiceProcessesOptions): ServiceProcesses {
  const { portBase, env, logDir, readyMs = 120_000, checkout, watch } = options;
  const children = new Map<ProcessName, ChildProcess>();
  const ended = new WeakSet<ChildProcess>();
  mkdirSync(logDir, { recursive: true });
  const urlOf = (name: ProcessName): string => `http://127.0.0.1:${portBase + servicePorts[name]}`;
  const logOf = (name: ProcessName): string => join(logDir, `${name}.log`);

  const kill = async (name: ProcessName, signal: NodeJS.Signals): Promise<void> => {
    const child = children.get(name);
    if (child === undefined || isGone(child)) return;
    const isEnd = signal !== 'SIGSTOP' && signal !== 'SIGCONT';
    if (isEnd) ended.add(child);
    child.kill(signal);
    if (!isEnd) return;
    await Promise.race([once(child, 'exit'), sleep(stopMs, undefined, { ref: false })]);
    if (!isGone(child)) child.kill('SIGKILL');
    children.delete(name);
  };
  return {
    url: urlOf,
    pid: (name) => children.get(name)?.pid,
    kill,
    start: async (name, more = {}) => {
      const ofOne = { ...publicEnv(portBase), ...env, ...listenEnv(portBase, name), ...more };
      if (watch !== undefined) {
        const nodeFlags = ['--watch', '--watch-preserve-output', ...(watch.isInspected ? inspectFlags(name) : [])];
        const watched = spawnService(name, { env: ofOne, stdio: ['ignore', 'pipe', 'pipe'], nodeFlags });
        children.set(name, watched);
        return printOutput(watched, createPrinter(name));
      }
      const log = openSync(logOf(name), 'a');
      const child = spawnService(name, { env: ofOne, stdio: ['ignore', log, log], checkout });
      closeSync(log);
      children.set(name, child);
      if (child.pid !== undefined) options.onSpawn?.(name, child.pid);
      try {
        await waitUntilReady(child, name, { url: urlOf(name), logFile: logOf(name), readyMs });
      } catch (error) {
        // One that is late would hold the port of the next.
        if (!isGone(child)) child.kill('SIGKILL');
        throw error;
      }
      child.once('exit', (code, signal) => {
        if (!ended.has(child)) options.onDeath?.(name, describeEnding(code, signal), logTail(logOf(name), 5));
      });
    },
    stop: async () => {
      await Promise.all([...children.keys()].map((name) => kill(name, 'SIGTERM')));
    },
  };
}

/** Node's own default port, and a distance for each service, so that several can be inspected at once. */
export const inspectorPortOf = (name: ProcessName): number => 9_229 + servicePorts[name] / 100;
const inspectFlags = (name: ProcessName): readonly string[] => [`--inspect=127.0.0.1:${inspectorPortOf(name)}`];

async function waitUntilReady(
  child: ChildProcess,
  name: ProcessName,
  { url, logFile, readyMs }: { url: string; logFile: string; readyMs: number },
): Promise<void> {
  const startedAtMs = performance.now();
  while (performance.now() - startedAtMs < readyMs) {
    if (isGone(child)) break;
    if (await answers(`${url}/readyz`)) return;
    await sleep(25);
  }
  throw unavailable(`${name} did not become ready at ${url}.\n${logTail(logFile, 8)}`);
}

function isGone(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Whether a service says that it is ready. */
export async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(probeMs) })).ok;
  } catch {
    return false;
  }
}

interface SpawnOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: StdioOptions;
  /** Flags for Node itself: `--watch`, `--inspect=…`. */
  readonly nodeFlags?: readonly string[];
  /** Folder of a checkout that is built. @default this one */
  readonly checkout?: string | undefined;
}

/**
 * Runs a service's own executable under our Node. It ends when we do (see end-with-launcher), and Ctrl-C in a terminal
 * reaches only us, so that we end the services in their order.
 */
function spawnService(name: ProcessName, { env, stdio, nodeFlags = [], checkout }: SpawnOptions): ChildProcess {
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
