import { containerLog, endContainer, isContainerRunning } from './container-engine';
import { endProcess, isRunning } from './process-identity';
import { logTail } from './spawn-detached';
import type { Runtime } from './stack-state';

/** Whether what we started is still there, answering or not. */
export async function isAlive(runtime: Runtime): Promise<boolean> {
  return runtime.origin === 'program'
    ? isRunning(runtime.process)
    : isContainerRunning(runtime.engine, runtime.containerId);
}

/** Ends it with these signals in turn (a container has its own), each given ten seconds. */
export async function endRuntime(runtime: Runtime, signals: NodeJS.Signals[]): Promise<void> {
  if (runtime.origin === 'program') await endProcess(runtime.process, signals, 10_000);
  else await endContainer(runtime.engine, runtime.containerId);
}

/** A word for the log: `process 4711`, `container 0af1…`. */
export function describeRuntime(runtime: Runtime): string {
  return runtime.origin === 'program'
    ? `process ${runtime.process.pid}`
    : `container ${runtime.containerId.slice(0, 12)}`;
}

/** The message of a start that failed: what the program said last. Ask before it is ended. */
export async function startFailure(service: string, runtime: Runtime, logFile: string): Promise<string> {
  const said =
    runtime.origin === 'program' ? logTail(logFile) : await containerLog(runtime.engine, runtime.containerId);
  return `${service} did not start.\n${said}`;
}
