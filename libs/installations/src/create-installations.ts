import type { InstallationNames, Store } from '@sluice/store';
import type { Credentials, InstallationContext, LiveCredentials } from '@sluice/types';
import { callerFinder, type FindCaller } from './find-caller';
import { readCredentials } from './live-credentials';
import { createResolver } from './resolve-installation';
import { sealCredentials, type Sealed, type SealingKeys } from './seal-credentials';

export interface InstallationsOptions {
  readonly store: Pick<Store, 'apiKeys' | 'connections' | 'integrations' | 'installationLookup'>;
  readonly keyring: SealingKeys;
  /** The bootstrap key. Absent: there is none. */
  readonly adminKey?: string;
}

/** Who calls, for which installation, with which credentials. */
export interface Installations {
  /**
   * Names to everything a write needs; ids up to a second old, to be compared by whoever promises something on them.
   * @throws NotFoundError for the first of project, integration, group, installation that does not exist
   */
  readonly resolve: (names: InstallationNames) => Promise<InstallationContext>;
  /** The same from the database as it is now. */
  readonly resolveAgain: (names: InstallationNames) => Promise<InstallationContext>;
  /** Undefined when the key is unknown or revoked. A revocation is in force within 1 s. */
  readonly findCaller: FindCaller;
  /** @throws NotFoundError `connection.not-found` */
  readonly liveCredentials: (projectId: string, connectionId: string) => Promise<LiveCredentials>;
  /** Ciphertext for the store, bound to the connection. */
  readonly seal: (connectionId: string, credentials: Credentials) => Sealed;
}

export function createInstallations(options: InstallationsOptions): Installations {
  const { store, keyring } = options;
  const resolver = createResolver(store);
  return {
    resolve: resolver.resolve,
    resolveAgain: resolver.resolveAgain,
    findCaller: callerFinder(options),
    liveCredentials: (projectId, connectionId) => readCredentials({ store, keys: keyring }, projectId, connectionId),
    seal: (connectionId, credentials) => sealCredentials(keyring, connectionId, credentials),
  };
}
