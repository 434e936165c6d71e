import { createHash } from 'node:crypto';
import { endingOf, endProcess, findProgram, isRunning, logTail, runCommand, unavailable } from './processes';
import type { Log, Runtime } from './stack-state';

/** Whether what we started is still there, answering or not. */
export async function isAlive(runtime: Runtime): Promise<boolean> {
  return runtime.origin === 'program'
    ? isRunning(runtime.process)
    : isContainerRunning(runtime.engine, runtime.containerId);
}

/** Ends it with these signals in turn (a container has its own), each given ten seconds. */
export async function endRuntime(runtime: Runtime, signals: readonly NodeJS.Signals[]): Promise<void> {
  if (runtime.origin === 'program') await endProcess(runtime.process, signals, 10_000);
  else await endContainer(runtime.engine, runtime.containerId);
}

/** A word for the log: `process 4711`, `container 0af1…`. */
export function describeRuntime(runtime: Runtime): string {
  return runtime.origin === 'program'
    ? `process ${runtime.process.pid}`
    : `container ${runtime.containerId.slice(0, 12)}`;
}

/** How one that is not alive ended, in words. */
export async function describeEnd(runtime: Runtime): Promise<string> {
  if (runtime.origin === 'program') return await endingOf(runtime.process);
  const args = ['inspect', '-f', '{{.State.ExitCode}}', runtime.containerId];
  const result = await runCommand(runtime.engine, args, { withinMs: 10_000 });
  return result.code === 0 ? `exit code ${result.output.trim()}` : 'its container is gone';
}

/** The message of a failed start: the program's last output. Call before the program is ended. */
export async function startFailure(service: string, runtime: Runtime, logFile: string): Promise<string> {
  const said =
    runtime.origin === 'program' ? logTail(logFile) : await containerLog(runtime.engine, runtime.containerId);
  return `${service} did not start.\n${said}`;
}

/** How a service runs in a container of its image. */
export interface ContainerOptions {
  readonly portInside: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
}

interface Container extends ContainerOptions {
  readonly engine: string;
  /** Makes the container's name differ from those of other checkouts. */
  readonly dataDir: string;
  readonly name: string;
  readonly image: string;
  /** Port of 127.0.0.1 that leads to the port inside. */
  readonly port: number;
}

/**
 * The first engine that answers and has the image or can pull it. An engine without a way to the image is no engine to
 * us: that is printed, and the next way is taken.
 */
export async function findEngineFor(image: string, env: NodeJS.ProcessEnv, log: Log): Promise<string | undefined> {
  for (const name of ['docker', 'podman']) {
    const engine = findProgram(name, env);
    if (engine === undefined) continue;
    if ((await runCommand(engine, ['info'], { env, withinMs: 10_000 })).code !== 0) continue;
    if ((await runCommand(engine, ['image', 'inspect', image], { env, withinMs: 10_000 })).code === 0) return engine;
    log(`${name} pulls ${image}`);
    if ((await runCommand(engine, ['pull', image], { env, withinMs: 180_000 })).code === 0) return engine;
    log(`${name} answers but cannot pull ${image}`);
  }
  return undefined;
}

/** Starts a container in the background. What is left of an earlier one is removed first. */
export async function runContainer(container: Container, env: NodeJS.ProcessEnv): Promise<Runtime> {
  const { engine, dataDir, image, port, portInside, settings = {}, command = [] } = container;
  const checkout = createHash('sha256').update(dataDir).digest('hex').slice(0, 8);
  const name = `sluice-${checkout}-${container.name}`;
  await runCommand(engine, ['rm', '-f', name], { env, withinMs: 30_000 });
  const variables = Object.entries(settings).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
  const publish = ['-p', `127.0.0.1:${port}:${portInside}`];
  const args = ['run', '-d', '--name', name, ...publish, ...variables, image, ...command];
  const result = await runCommand(engine, args, { env, withinMs: 60_000 });
  if (result.code !== 0) throw unavailable(`${container.name} did not start in a container: ${result.output.trim()}`);
  return { origin: 'container', engine, containerId: result.output.trim().split('\n').at(-1) ?? name };
}

/** Whether the container runs. */
async function isContainerRunning(engine: string, containerId: string): Promise<boolean> {
  const args = ['inspect', '-f', '{{.State.Running}}', containerId];
  const result = await runCommand(engine, args, { withinMs: 10_000 });
  return result.code === 0 && result.output.trim() === 'true';
}

/** Ends and removes the container; silent when it is gone already. */
async function endContainer(engine: string, containerId: string): Promise<void> {
  await runCommand(engine, ['stop', '-t', '10', containerId], { withinMs: 30_000 });
  await runCommand(engine, ['rm', '-f', containerId], { withinMs: 30_000 });
}

/** Its last output. */
export async function containerLog(engine: string, containerId: string): Promise<string> {
  return (await runCommand(engine, ['logs', '--tail', '12', containerId], { withinMs: 10_000 })).output.trimEnd();
}
