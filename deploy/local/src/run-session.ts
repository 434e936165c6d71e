import { join } from 'node:path';
import { ConfigError } from '@sluice/config';
import {
  givenUrls,
  Interrupted,
  type LocalSettings,
  type Log,
  type ServiceName,
  serviceNames,
  startStack,
  urlVariables,
} from '@sluice/stack';
import { createStopList, type Footprint, type FootprintOptions } from './footprints/footprint';
import { journalEnv, serviceEnv } from './footprints/service-env';
import { type LocalSecrets, openLocalSecrets } from './local-secrets';
import { createTopics, migrateWithReport } from './prepare-stack';
import { claimRunFolder } from './run-folder/claim-run-folder';
import { isReplaced, untilGivenBack } from './run-folder/replacement';
import { recordProcess } from './run-folder/run-record';
import { type Addresses, addressesOf, type ProcessName, processNames } from './service-ports';
import { createServiceProcesses } from './service-processes';

export interface SessionOptions {
  readonly settings: LocalSettings;
  /** The data folder to take. */
  readonly home: string;
  readonly command: string;
  readonly footprint: 'embedded' | 'distributed';
  readonly withSandbox: boolean;
  readonly stop: AbortSignal;
  readonly log: Log;
}

/** The services are up. */
export interface Session {
  readonly folder: string;
  readonly addresses: Addresses;
  readonly secrets: LocalSecrets;
  readonly footprint: Footprint;
}

/**
 * Takes the data folder, starts everything, does `work`, and ends everything, whatever happened.
 * @returns what `work` returns; the exit code of a signal that interrupted it
 */
export async function runSession(options: SessionOptions, work: (session: Session) => Promise<number>) {
  const { settings, home, command, withSandbox, stop, log } = options;
  const { env, portBase, logLevel } = settings;
  const names = processNames.filter((name) => withSandbox || name !== 'sandbox');
  const claim = await claimRunFolder({ home, portBase, command, names, log });
  stop.addEventListener('abort', claim.markStopping, { once: true });
  try {
    const { folder } = claim;
    const secrets = openLocalSecrets(folder, env);
    printSettings(options);
    // Loaded here: with it the settings of traces are read.
    const start =
      options.footprint === 'embedded' ? (await import('./footprints/embedded.js')).startEmbedded : startDistributed;
    const footprint = await start({ env, folder, portBase, logLevel, secrets, withSandbox, log });
    try {
      stop.throwIfAborted();
      return await work({ folder, addresses: addressesOf(portBase), secrets, footprint });
    } finally {
      claim.markStopping();
      await footprint.stop();
    }
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    throw error;
  } finally {
    claim.release();
  }
}

/** Whoever has such a variable set from elsewhere should see that it is used. */
function printSettings({ settings, footprint, log }: SessionOptions): void {
  const given = givenUrls(settings.env);
  const used: readonly ServiceName[] = footprint === 'embedded' ? ['postgres'] : serviceNames;
  for (const name of used) if (given[name] !== undefined) log(`${name}: given by ${urlVariables[name]}`);
}

/**
 * The five services as processes of their own on Kafka, Redis and Postgres, with the sandbox as a sixth.
 * @throws DependencyError with the end of a service's log; nothing is left running then
 */
async function startDistributed(options: FootprintOptions): Promise<Footprint> {
  const { env, folder, portBase, log } = options;
  const logs = join(folder, 'logs');
  const dataDir = join(folder, 'stack');
  const stops = createStopList();
  try {
    const stack = await startStack({ dataDir, want: serviceNames, env, log });
    stops.add(() => stack.stop());
    await migrateWithReport(stack.databaseUrl, log);
    await createTopics(stack.kafkaBrokers, log);
    let isStopping = false;
    const startAgain = async (name: ProcessName): Promise<void> => {
      if (!isReplaced(folder, name) || !(await untilGivenBack(folder, name, () => !isStopping))) return;
      log(`${name}: is run here again`);
      await processes
        .start(name, journalEnv(name, dataDir))
        .catch((error: unknown) => log(`${name}: ${String(error)}`));
    };
    const processes = createServiceProcesses({
      portBase,
      env: serviceEnv({ ...options, ...stack }),
      logDir: logs,
      onSpawn: (name, pid) => recordProcess(folder, name, pid),
      onExit: (name) => void startAgain(name),
    });
    stops.add(async () => {
      isStopping = true;
      await processes.stop();
    });
    const begunAt = performance.now();
    await allOrFirstFailure(processNames.map((name) => processes.start(name, journalEnv(name, dataDir))));
    const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
    log(`services: ${processNames.length} processes ready in ${seconds} s`);
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

/** What a tour or a real account shows must be what a customer would see: a minute is a minute. */
export function refuseScaledTime({ timeScale }: LocalSettings): void {
  if (timeScale === 1) return;
  const rule = 'must be left out here: time is never scaled; npm run dev takes it';
  throw new ConfigError([{ name: 'SLUICE_TIME_SCALE', rule, value: String(timeScale) }]);
}
