import type { ConnectorRegistry, FreshTokens } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import type { InstallationNames, Store, OAuthState } from '@sluice/store';
import type { Logger, Metrics } from '@sluice/telemetry';
import { type InstallationContext, type LiveCredentials, metadataValues } from '@sluice/types';
import { canRefresh, type RefreshFailpoints, type RefreshSource, tokenCallMs } from './request-tokens';
import { callerFinder } from './find-caller';
import { immutableContents, InstallationResolver, missingOf } from './resolve-installation';
import {
  CredentialMemory,
  openConnection,
  sealValue,
  unsealValue,
  type Sealed,
  type SealingKeys,
  type SecretOwner,
  type Secrets,
} from './live-credentials';
import { createRefresher, type RefreshCredentials } from './refresh-credentials';

export interface InstallationsOptions {
  readonly store: Pick<
    Store,
    'apiKeys' | 'jwtKeys' | 'connections' | 'integrations' | 'installationLookup' | 'providerApps'
  >;
  readonly keyring: SealingKeys;
  /** Asked for fresh tokens. */
  readonly connectors: Pick<ConnectorRegistry, 'find'>;
  readonly logger: Logger;
  /** Counts the tokens that are asked for. @default not counted */
  readonly metrics?: Metrics;
  /** Where a test may break the process. @default nowhere */
  readonly failpoints?: RefreshFailpoints;
  /** The bootstrap key. Absent: there is none. */
  readonly adminKey?: string;
}

/** An installation with its account, as they are now. */
export interface ResolvedAccount {
  readonly installation: InstallationContext;
  /** How long the account is blocked after it refused a call, in milliseconds; 0 when it is not. */
  readonly blockedMs: number;
  /** See `liveCredentials`; another statement only when the access token is at its end. */
  readonly live: () => Promise<LiveCredentials>;
}

export type Installations = ReturnType<typeof createInstallations>;

/** Who calls, for which installation, with which credentials. */
export function createInstallations(options: InstallationsOptions) {
  const { store, keyring } = options;
  const contents = immutableContents(store);
  const resolver = new InstallationResolver(store, contents);
  const refreshCredentials = createRefresher(options);
  const memory = new CredentialMemory(keyring);
  return {
    /**
     * Names to everything a write needs. The ids may be up to a second old: whoever promises something on them compares
     * them in the promising statement, and asks `resolveAgain` when one has changed.
     * @throws NotFoundError for the first of project, integration, group, installation that does not exist
     */
    resolve: (names: InstallationNames) => resolver.resolve(names),
    /** The same from the database as it is now. */
    resolveAgain: (names: InstallationNames) => resolver.resolveAgain(names),
    /**
     * The same in one statement with what a call to the account goes by.
     * @throws NotFoundError as `resolve`
     */
    resolveAccount: async (names: InstallationNames): Promise<ResolvedAccount> => {
      const before = resolver.findKnown(names);
      const known = before && memory.find(before);
      const offered = before &&
        known && { knownConnectionId: before.connectionId, knownTokenVersion: known.tokenVersion };
      const found = await store.installationLookup.findAccount({ ...names, ...offered });
      if (found.missing !== undefined) throw missingOf(found.missing, names);
      const { projectId, connectionId, groupRef } = found.ids;
      const { isExpiring } = found.credentials;
      return {
        installation: await resolver.take(names, found.ids),
        blockedMs: found.blockedMs,
        live: async () =>
          isExpiring
            ? await readLive(options, refreshCredentials, projectId, connectionId)
            : memory.confirm({ projectId, connectionId, groupRef }, found.credentials, known),
      };
    },
    /** Whether the manifest of this revision declares the object under `write.objects`. Asked without a query once it is known. */
    declaresForWriting: async (projectId: string, revisionId: string, objectName: string): Promise<boolean> => {
      const { write } = await contents.manifest(projectId, revisionId);
      return (write?.objects ?? []).some((object) => object.objectName === objectName);
    },
    /**
     * Undefined when the API key is unknown or revoked. A revocation is in force within 1 s, also of a token's key.
     * @throws AuthError for a bearer token that breaks a rule
     */
    findCaller: callerFinder(options),
    /**
     * The credentials as they are now, refreshed first when the access token is known to be at its end. While that is not
     * possible they are given as they are: the provider's answer to the call decides.
     * @throws NotFoundError `connection.not-found`
     * @throws ProviderError `credentials` when the refresh shows that the grant is gone
     */
    liveCredentials: (projectId: string, connectionId: string) =>
      readLive(options, refreshCredentials, projectId, connectionId),
    /**
     * What to use after a 401: the newer credentials if there are any, else freshly made ones; saved before they are given.
     * Undefined: there is nothing to refresh with, so the 401 is the last word.
     * @throws ProviderError `credentials` when the grant is gone: the connection is `bad_credentials` now. `unavailable` when the provider does not
     * answer or refuses the app: the connection stays as it is. `unavailable` also when the project lacks the app: the connection is
     * `bad_credentials` until a refresh succeeds.
     */
    refreshCredentials,
    /** Credentials that were opened before, for a statement to confirm. */
    credentials: memory,
    /** The credentials as they are stored, whatever the state of their token. @throws NotFoundError `connection.not-found` */
    storedCredentials: async (projectId: string, connectionId: string): Promise<LiveCredentials> =>
      (await openConnection(options, { projectId, connectionId })).live,
    /** See the function. */
    exchangeCode: (returned: ReturnedCode) => exchangeCode(options, returned),
    /** Ciphertext for the store or a cookie, bound to its owner. */
    seal: <Noun extends keyof Secrets>(owner: SecretOwner<Noun>, value: Secrets[Noun]): Sealed =>
      sealValue(keyring, owner, value),
    /** @throws DefectError when the key is not in the ring, or the text was altered or belongs to another owner */
    unseal: <Noun extends keyof Secrets>(owner: SecretOwner<Noun>, text: string): Secrets[Noun] =>
      unsealValue(keyring, owner, text),
  };
}

async function readLive(
  source: RefreshSource,
  refresh: RefreshCredentials,
  projectId: string,
  connectionId: string,
): Promise<LiveCredentials> {
  const opened = await openConnection(source, { projectId, connectionId });
  const { live, isExpiring } = opened;
  // A grant that is gone is not asked for before each call; the 401 that follows asks once.
  if (!isExpiring || live.status === 'bad_credentials' || !canRefresh(source, opened)) return live;
  try {
    return (await refresh(projectId, connectionId, live.tokenVersion)) ?? live;
  } catch (error) {
    if (error instanceof ProviderError && error.class !== 'credentials') return live;
    throw error;
  }
}

/** A code that a provider's page gave, with the authorization that it answers. */
interface ReturnedCode {
  readonly code: string;
  readonly state: OAuthState;
  readonly traceparent: string;
}

/**
 * Changes an authorization code into tokens, as the builder's app. The app's secret and the verifier stay in here.
 * @throws ProviderError `credentials` for a refused code, `rejected` for a refused app or one that is gone
 */
async function exchangeCode(
  { store, keyring, connectors }: RefreshSource,
  { code, state, traceparent }: ReturnedCode,
): Promise<FreshTokens> {
  const { projectId, provider, providerAppId, stateHash, redirectUri, workspaceRef } = state;
  const { providerMetadata: metadata } = state;
  const app = await store.providerApps.findClient(projectId, provider, providerAppId);
  const connector = connectors.find(provider);
  if (app === undefined || connector?.exchangeCode === undefined) {
    const detail = `The provider app ${providerAppId} of ${provider} is gone.`;
    throw new ProviderError({ class: 'rejected', detail });
  }
  return await connector.exchangeCode({
    code,
    redirectUri,
    codeVerifier: unsealValue(keyring, { noun: 'authorization', id: stateHash }, state.sealedVerifier),
    clientId: app.clientId,
    clientSecret: unsealValue(keyring, { noun: 'provider app', id: app.id }, app.sealed),
    workspaceRef,
    metadata: metadata && metadataValues(metadata),
    traceparent,
    signal: AbortSignal.timeout(tokenCallMs),
  });
}
