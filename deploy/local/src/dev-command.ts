import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessEnv } from '@sluice/config';
import {
  Interrupted,
  listenForStop,
  type LocalSettings,
  type Log,
  readLocalSettings,
  repositoryRoot,
  serviceNames,
  startStack,
  untilStopped,
  waitUntil,
} from '@sluice/stack';
import { demoCustomer, demoFileOf } from './demo/demo';
import { seedDemo } from './demo/seed-demo';
import { createPrinter, printOutput } from './dev-output';
import { createStopList, type StopList } from './footprints/footprint';
import { journalEnv, listenEnv, publicEnv, serviceEnv, withLocalWebhooks } from './footprints/service-env';
import { type LocalSecrets, openLocalSecrets } from './local-secrets';
import { createTopics, migrateWithReport } from './prepare-stack';
import { claimRunFolder, type RunFolder } from './run-folder/claim-run-folder';
import { isReplaced, takeOver, untilGivenBack } from './run-folder/replacement';
import { endRecorded, readLiveRun, recordProcess } from './run-folder/run-record';
import { openSandboxAccounts } from './sandbox-client';
import { addressesOf, assertPortsFree, type ProcessName, processNames, servicePorts } from './service-ports';
import { spawnService } from './service-processes';

const usage = `npm run dev [-- --only <service>]
  Runs the five services and the sandbox as processes on Kafka, Redis and Postgres, compiles what changes and starts
  again what it concerns. Services: ${processNames.join(', ')}.
  --only <service>  this one alone, with an inspector port, in place of that of an earlier npm run dev, which runs it
                    again afterwards; the others stay as they are
`;

/** `npm run dev`. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  const only = parse(args);
  if (only === 'wrong') {
    process.stderr.write(usage);
    return 2;
  }
  const settings = readLocalSettings(readProcessEnv());
  const log = createPrinter('dev');
  const stop = listenForStop();
  const claim = await openDevFolder(settings, only, log);
  stop.addEventListener('abort', claim.markStopping, { once: true });
  const stops = createStopList();
  try {
    await startAll({ settings, claim, only, log, stop, stops });
    await untilStopped(stop);
    log('stopping');
    return 0;
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    throw error;
  } finally {
    claim.markStopping();
    await stops.run();
    claim.release();
  }
}

interface DevRun {
  readonly settings: LocalSettings;
  readonly claim: DevFolder;
  readonly only: ProcessName | undefined;
  readonly log: Log;
  readonly stop: AbortSignal;
  readonly stops: StopList;
}

async function startAll({ settings, claim, only, log, stop, stops }: DevRun): Promise<void> {
  const { env, portBase } = settings;
  const { folder } = claim;
  const dataDir = join(folder, 'stack');
  const stack = await startStack({ dataDir, want: serviceNames, env, log });
  stops.add(() => stack.stop());
  await migrateWithReport(stack.databaseUrl, log);
  await createTopics(stack.kafkaBrokers, log);
  stop.throwIfAborted();
  const secrets = openLocalSecrets(folder, env);
  const forAll = serviceEnv({ env: withLocalWebhooks(env), portBase, secrets, withSandbox: true, ...stack });
  const ends = (only === undefined ? processNames : [only]).map((name) => {
    const ownEnv = { ...forAll, ...journalEnv(name, dataDir) };
    return startWatchedService(name, { folder, portBase, env: ownEnv, isAlone: only !== undefined });
  });
  stops.add(async () => void (await Promise.all(ends.map((end) => end()))));
  // Ended before them: what it wrote meanwhile would start them again.
  if (!claim.isCompiled) stops.add(watchCompiler(folder, forAll));
  if (only === undefined) await seedWhenReady({ folder, portBase, secrets, stop, log });
  else log(`${only}: inspector on 127.0.0.1:${inspectorPortOf(only)}; the other services are left as they are`);
}

function parse(args: readonly string[]): ProcessName | undefined | 'wrong' {
  const [option, name, ...more] = args;
  if (option === undefined) return undefined;
  const found = processNames.find((known) => known === name);
  return option === '--only' && found !== undefined && more.length === 0 ? found : 'wrong';
}

/** On SIGTERM the compiler first finishes what it compiles: half a minute on a busy machine. What is cut off, the next start compiles again. */
const compilerPatienceMs = 500;

/**
 * Compiles what changes, for as long as we run; noted in the folder, for the next run to end if we are killed.
 * @returns a function that ends it
 */
function watchCompiler(folder: string, env: Readonly<Record<string, string>>): () => Promise<void> {
  const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
  const child = spawn(process.execPath, [tsc, '-b', '--watch', '--preserveWatchOutput'], {
    cwd: repositoryRoot,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) recordProcess(folder, 'tsc', child.pid);
  printOutput(child, createPrinter('tsc'));
  return () => endProcessOf(child, compilerPatienceMs);
}

interface DevFolder extends RunFolder {
  /** Another `npm run dev` compiles already. */
  readonly isCompiled: boolean;
}

const devCommand = 'npm run dev';

/**
 * The folder for a dev run. With `only`, that of a launcher that runs on the same ports, whose process of this name is
 * ended; its others stay as they are. Else a folder of our own.
 */
async function openDevFolder(
  { dataDir, portBase }: LocalSettings,
  only: ProcessName | undefined,
  log: Log,
): Promise<DevFolder> {
  if (only !== undefined) {
    for (const folder of [dataDir, join(dataDir, `base-${portBase}`)]) {
      const live = readLiveRun(folder);
      if (live?.portBase !== portBase) continue;
      const release = takeOver(folder, only);
      const ended = await endRecorded(folder, [only]);
      if (ended.length > 0) log(`${only}: replaces the one that "${live.command}" runs, until this ends`);
      // "npm start" alone has all services in its own process: none of them can be ended.
      const owner = `"${live.command}" (process ${live.process.pid})`;
      const remedy = `One of its services can be replaced where each is a process: end it, and run "npm run dev" or "npm start -- --distributed" in its place.`;
      await assertPortsFree({ portBase, names: [only], command: devCommand, owner, remedy });
      return { folder, markStopping: () => undefined, release, isCompiled: live.command === devCommand };
    }
  }
  const names = only === undefined ? undefined : [only];
  const claim = { home: dataDir, portBase, command: devCommand, log, ...(names === undefined ? {} : { names }) };
  return { ...(await claimRunFolder(claim)), isCompiled: false };
}

interface SeedWhenReadyOptions {
  readonly folder: string;
  readonly portBase: number;
  readonly secrets: LocalSecrets;
  readonly stop: AbortSignal;
  readonly log: Log;
}

const readyMs = 60_000;

/** Creates the demo project once management and the sandbox answer. A failure is printed and ends nothing. */
async function seedWhenReady({ folder, portBase, secrets, stop, log }: SeedWhenReadyOptions): Promise<void> {
  const addresses = addressesOf(portBase);
  const urls = [addresses.baseUrl.replace(/\/v1$/, '/readyz'), `${addresses.sandboxUrl}/readyz`];
  const areReady = async () => stop.aborted || (await Promise.all(urls.map(answers))).every(Boolean);
  if (!(await waitUntil(areReady, { withinMs: readyMs, everyMs: 100 })) || stop.aborted) return;
  try {
    const customers = (await openSandboxAccounts(addresses.sandboxUrl)).map(demoCustomer);
    const names = { name: 'demo', customers, withSandbox: true };
    const { project } = await seedDemo({ folder, addresses, secrets, ...names });
    log(`demo: project ${project.name}, addresses and key in ${demoFileOf(folder)}`);
  } catch (error) {
    log(`demo: not made: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}

interface WatchedServiceOptions {
  readonly folder: string;
  readonly portBase: number;
  readonly env: Readonly<Record<string, string>>;
  /** In place of the one that another launcher runs, with an inspector. */
  readonly isAlone: boolean;
}

/** Node's own default; each service adds its distance, so that several can be looked into at once. */
const inspectorBase = 9_229;
const patienceMs = 15_000;

/**
 * Runs a service from what the compiler writes, again after each change, and again after another launcher ran it alone.
 * @returns a function that ends it
 */
function startWatchedService(name: ProcessName, options: WatchedServiceOptions): () => Promise<void> {
  const { folder, portBase, env, isAlone } = options;
  const print = createPrinter(name);
  const inspector = isAlone ? [`--inspect=127.0.0.1:${inspectorPortOf(name)}`] : [];
  let isOurs = true;
  const start = (): ChildProcess => {
    const started = spawnService(name, {
      env: { ...publicEnv(portBase), ...env, ...listenEnv(portBase, name) },
      stdio: ['ignore', 'pipe', 'pipe'],
      nodeFlags: ['--watch', '--watch-preserve-output', ...inspector],
    });
    printOutput(started, print);
    if (started.pid !== undefined) recordProcess(folder, name, started.pid);
    started.once('exit', () => void (isOurs && onEnd()));
    return started;
  };
  const onEnd = async (): Promise<void> => {
    if (isAlone || !isReplaced(folder, name)) return print('was ended by somebody else, and is not started again');
    print(`is run by ${devCommand} -- --only ${name}, until that ends`);
    if (!(await untilGivenBack(folder, name, () => isOurs))) return;
    print('is run here again');
    child = start();
  };
  let child = start();
  return async () => {
    isOurs = false;
    await endProcessOf(child, patienceMs);
  };
}

/** SIGTERM, and SIGKILL where that is not enough in time. */
export async function endProcessOf(child: ChildProcess, withinMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await Promise.race([ended, sleep(withinMs, undefined, { ref: false })]);
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await ended;
}

function inspectorPortOf(name: ProcessName): number {
  return inspectorBase + servicePorts[name] / 100;
}
