import { createServiceProcesses, portDistances, type ProcessName } from '@sluice/local';
import { freePortBase } from '@sluice/testkit';

/** One of our services as a process, started as a release is: compiled, in production mode. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** How long a start may take on a machine that does much else, in milliseconds. */
const readyMs = 120_000;

/** Starts one service on a port of its own and waits until it is ready. Any number of one kind may run. */
export async function startService(
  name: ProcessName,
  env: Readonly<Record<string, string>>,
  logDir: string,
): Promise<ServiceProcess> {
  const portBase = await freePortBase(portDistances);
  const processes = createServiceProcesses({ portBase, env, logDir, readyMs });
  try {
    await processes.start(name);
  } catch (error) {
    await processes.stop();
    throw error;
  }
  return {
    url: processes.url(name),
    pid: processes.pid(name) ?? 0,
    kill: (signal) => processes.kill(name, signal),
  };
}
