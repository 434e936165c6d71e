import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isPortFree, repositoryRoot, serviceNames, startStack, waitUntil } from '@sluice/stack';
import { createPrinter, printOutput } from '../dev-output';
import { createTopics, migrateWithReport } from '../prepare-stack';
import { type ProcessName, servicePorts } from '../service-ports';
import { createServiceProcesses } from '../service-processes';
import { createSupervisor } from '../supervisor';
import { createStopList, type Footprint, type FootprintOptions } from './footprint';
import { journalEnv, serviceEnv } from './service-env';

/** Longest that the process of a launcher that borrowed a service may take to leave its port, in milliseconds. */
const leaveMs = 60_000;

/**
 * The five services as processes of their own on Kafka, Redis and Postgres, with the sandbox as a sixth; or some of them.
 * @throws DependencyError with the end of a service's log; nothing is left running then
 */
export async function startProcesses(options: FootprintOptions): Promise<Footprint> {
  const { settings, folder, log, names, watch, lendWith } = options;
  const { env, portBase } = settings;
  const logs = join(folder, 'logs');
  const dataDir = join(folder, 'stack');
  const stops = createStopList();
  try {
    const stack = await startStack({ dataDir, want: serviceNames, env, log });
    stops.add(() => stack.stop());
    await migrateWithReport(stack.databaseUrl, log);
    await createTopics(stack.kafkaBrokers, log);
    const forAll = serviceEnv({ ...options, ...stack });
    const supervisor = createSupervisor(log);
    const start = (name: ProcessName) => processes.start(name, journalEnv(name, dataDir));
    const restart = (name: ProcessName) => start(name).then(() => true);
    const processes = createServiceProcesses({
      portBase,
      env: forAll,
      logDir: logs,
      onDeath: (name, how, logTail) => void supervisor.report({ name, how, logTail, restart: () => restart(name) }),
      ...(watch && { watch }),
    });
    let isStopping = false;
    stops.add(async () => {
      isStopping = true;
      supervisor.stop();
      await processes.stop();
    });
    const begunAt = performance.now();
    await allOrFirstFailure(names.map(start));
    const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
    log(`services: ${names.length} processes ${watch ? 'started' : 'ready'} in ${seconds} s`);
    supervisor.watch(stack);
    // Ended before them: what it wrote meanwhile would start them again.
    if (watch?.isCompiling) stops.add(watchCompiler(forAll));
    lendWith(async (name) => {
      if (processes.pid(name) === undefined) return undefined;
      log(`${name}: is run by npm run dev -- --only ${name}, until that ends`);
      await processes.kill(name, 'SIGTERM');
      return async () => {
        const isOver = () => isStopping || isPortFree(portBase + servicePorts[name]);
        await waitUntil(isOver, { withinMs: leaveMs });
        if (isStopping) return;
        log(`${name}: is run here again`);
        await start(name).catch((error: unknown) => log(`${name}: ${String(error)}`));
      };
    });
    return { logs, stop: stops.run };
  } catch (error) {
    await stops.run();
    throw error;
  }
}

/** Waits for all before it fails, so that nothing starts after the clean-up. */
async function allOrFirstFailure(starts: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(starts);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** The compiler does not end on SIGTERM while it compiles. What is cut off, the next start compiles again. */
const killedWithInput = '"$@" & read _; kill -9 $!';

/**
 * Compiles what changes, until we end, however we end: our end of the pipe is closed then.
 * @returns a function that ends it
 */
function watchCompiler(env: Readonly<Record<string, string>>): () => Promise<void> {
  const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
  const command = [process.execPath, tsc, '-b', '--watch', '--preserveWatchOutput'];
  const child = spawn('sh', ['-c', killedWithInput, 'sh', ...command], { cwd: repositoryRoot, env, detached: true });
  printOutput(child, createPrinter('tsc'));
  return async () => {
    const ended = once(child, 'exit');
    child.stdin.end();
    await ended;
  };
}
