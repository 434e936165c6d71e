import { ConfigError } from '@sluice/config';
import { givenUrls, Interrupted, type LocalSettings, type Log, serviceNames, urlVariables } from '@sluice/stack';
import type { Footprint, FootprintOptions } from './footprints/footprint';
import { type LocalSecrets, openLocalSecrets } from './local-secrets';
import { borrowService, claimRunFolder } from './run-folder';
import { type Addresses, addressesOf, type ProcessName, processNames } from './service-ports';

export interface SessionOptions {
  readonly settings: LocalSettings;
  /** The data folder to take. */
  readonly home: string;
  readonly command: string;
  readonly footprint: 'embedded' | 'distributed';
  readonly withSandbox: boolean;
  /** Processes start again when their code changes. With `only` that one alone, in place of the one of a launcher that runs on the same ports. */
  readonly watch?: { readonly only: ProcessName | undefined };
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
  const { settings, home, command, withSandbox, watch: { only } = {}, stop, log } = options;
  const { env, portBase } = settings;
  const names = processNames.filter((name) => (only ?? name) === name && (withSandbox || name !== 'sandbox'));
  const wanted = { home, portBase, command, names, log };
  const claim = (only && (await borrowService(wanted, only))) ?? (await claimRunFolder(wanted));
  stop.addEventListener('abort', claim.markStopping, { once: true });
  try {
    const { folder } = claim;
    const secrets = openLocalSecrets(folder, env);
    printSettings(options);
    const { lendWith } = claim;
    const watch = options.watch && { isCompiling: claim.lender !== command, isInspected: only !== undefined };
    const start = await starterOf(options.footprint);
    const footprint = await start({ settings, folder, secrets, withSandbox, log, names, watch, lendWith });
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

/** Loaded when it is needed: with the services in this process the settings of traces are read. */
async function starterOf(
  footprint: SessionOptions['footprint'],
): Promise<(options: FootprintOptions) => Promise<Footprint>> {
  if (footprint === 'embedded') return (await import('./footprints/embedded.js')).startEmbedded;
  return (await import('./footprints/processes.js')).startProcesses;
}

/** A variable that is set from elsewhere should be seen to be used. */
function printSettings({ settings, footprint, log }: SessionOptions): void {
  const given = givenUrls(settings.env);
  const used = footprint === 'embedded' ? (['postgres'] as const) : serviceNames;
  for (const name of used) if (given[name] !== undefined) log(`${name}: given by ${urlVariables[name]}`);
}

/** What a tour or a real account shows must be what a customer would see: a minute is a minute. */
export function refuseScaledTime({ timeScale }: LocalSettings): void {
  if (timeScale === 1) return;
  const rule = 'must be left out here: time is never scaled; npm run dev takes it';
  throw new ConfigError([{ name: 'SLUICE_TIME_SCALE', rule, value: String(timeScale) }]);
}
