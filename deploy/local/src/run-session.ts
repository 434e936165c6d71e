import type { Footprint } from './footprints/footprint';
import { startDistributed } from './footprints/distributed';
import { startEmbedded } from './footprints/embedded';
import { openLocalSecrets, type LocalSecrets } from './local-secrets';
import type { LocalSettings } from './local-settings';
import { claimRunFolder } from './run-folder/claim-run-folder';
import { addressesOf, processNames, type Addresses } from './service-ports';
import type { Log } from './stack/log';
import { Interrupted } from './stop-signal';

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
  const { env, portBase } = settings;
  const names = processNames.filter((name) => withSandbox || name !== 'sandbox');
  const claim = await claimRunFolder({ home, portBase, command, names, log });
  stop.addEventListener('abort', claim.markStopping, { once: true });
  try {
    const { folder } = claim;
    const secrets = openLocalSecrets(folder, env);
    const start = options.footprint === 'embedded' ? startEmbedded : startDistributed;
    const footprint = await start({ env, folder, portBase, secrets, withSandbox, log });
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
