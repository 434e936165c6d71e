import type { ConnectorRegistry, FreshTokens } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import type { ClientOfApp, Store } from '@sluice/store';
import type { Logger, Metrics } from '@sluice/telemetry';
import { grantOf } from '@sluice/types';
import { type OpenedConnection, unsealValue, type SealingKeys } from './live-credentials';

/** What a refresh asks and changes. */
export interface RefreshSource {
  readonly store: Pick<Store, 'connections' | 'providerApps'>;
  readonly keyring: SealingKeys;
  readonly connectors: Pick<ConnectorRegistry, 'find'>;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  readonly failpoints?: RefreshFailpoints | undefined;
}

/** Where a test may break a refresh: the provider has given the new pair, and it is not saved yet. `Failpoints` of `@sluice/config` are it. */
export interface RefreshFailpoints {
  hit(name: 'oauth.after_reply_before_save'): Promise<void>;
}

/** Bound of one call to a token endpoint. Providers answer within a second; the refresh lease is longer than two of these. */
export const tokenCallMs = 10_000;

/** Whether there is something to refresh with; a missing app is another matter: the builder can still register it. */
export function canRefresh({ connectors }: Pick<RefreshSource, 'connectors'>, { live }: OpenedConnection): boolean {
  const connector = connectors.find(live.provider);
  if (grantOf(live.credentials) !== undefined) return connector?.grant !== undefined;
  return live.credentials.refreshToken !== undefined && connector?.refresh !== undefined;
}

/**
 * One call to the provider's token endpoint: as the connection's app for a refresh token, else with the credentials that
 * gave the token before.
 * @throws ProviderError `credentials` when the provider reports that the grant is gone. `unavailable` for everything else, from which nothing follows
 * for the connection: the provider does not answer, or refuses the app itself.
 * @throws ProviderAppMissingError `unavailable` too: the project lacks the app
 */
export async function requestTokens(
  source: RefreshSource,
  projectId: string,
  opened: OpenedConnection,
): Promise<FreshTokens> {
  const grant = grantOf(opened.live.credentials);
  return grant === undefined ? await askAsApp(source, projectId, opened) : await askAgain(source, opened, grant);
}

async function askAgain(
  source: RefreshSource,
  { live }: OpenedConnection,
  grant: NonNullable<ReturnType<typeof grantOf>>,
): Promise<FreshTokens> {
  const { provider, workspaceRef, metadata } = live;
  const connector = source.connectors.find(provider);
  if (connector?.grant === undefined) throw unavailable(`${provider} gives no tokens for these credentials.`);
  try {
    return await connector.grant({ ...grant, workspaceRef, metadata, signal: AbortSignal.timeout(tokenCallMs) });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.class === 'credentials') throw error;
    throw unavailable(`The access token could not be renewed: ${error.detail}`, error);
  }
}

async function askAsApp(source: RefreshSource, projectId: string, opened: OpenedConnection): Promise<FreshTokens> {
  const { provider, workspaceRef, metadata, credentials, connectionId } = opened.live;
  const app = await findApp(source, projectId, opened);
  const connector = source.connectors.find(provider);
  if (connector?.refresh === undefined) throw unavailable(`${provider} cannot refresh access tokens.`);
  try {
    return await connector.refresh({
      refreshToken: credentials.refreshToken as string,
      clientId: app.clientId,
      clientSecret: unsealValue(source.keyring, { noun: 'provider app', id: app.id }, app.sealed),
      workspaceRef,
      metadata,
      signal: AbortSignal.timeout(tokenCallMs),
    });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.class === 'credentials') throw error;
    // Without a status the provider has said nothing: the address of the account is not one.
    if (error.class === 'rejected' && 'status' in error.meta)
      throw appRefused(source, { projectId, connectionId, provider, app, error });
    throw unavailable(`The access token could not be refreshed: ${error.detail}`, error);
  }
}

/** A refresh token is only taken from the client that it was given to. The builder can still register it: nothing is lost. */
export class ProviderAppMissingError extends ProviderError {}

/** The app of the builder that a refresh is asked as. @throws ProviderAppMissingError */
async function findApp(source: RefreshSource, projectId: string, opened: OpenedConnection): Promise<ClientOfApp> {
  const app = await source.store.providerApps.findClient(projectId, opened.live.provider, opened.providerAppId);
  if (app === undefined) throw appMissing(source, projectId, opened);
  return app;
}

/** @throws ProviderAppMissingError when what a refresh is asked with is not there */
export async function assertAppThere(
  source: RefreshSource,
  projectId: string,
  opened: OpenedConnection,
): Promise<void> {
  if (grantOf(opened.live.credentials) === undefined) await findApp(source, projectId, opened);
}

interface RefusedApp {
  readonly projectId: string;
  readonly connectionId: string;
  readonly provider: string;
  readonly app: ClientOfApp;
  readonly error: ProviderError;
}

/** A person must act, and all connections of the app wait: `error` level. */
function appRefused({ logger }: RefreshSource, { app, error, ...names }: RefusedApp): ProviderError {
  const { id: providerAppId, clientId } = app;
  logger.error({ ...names, providerAppId, clientId, reason: error.detail }, 'provider-app.refused');
  const sentence = error.detail.replace(/\.$/, '');
  const detail =
    `${names.provider} refuses the provider app ${providerAppId} (client id ${clientId}), so the access token could ` +
    `not be refreshed: ${sentence}. Correct the app with PATCH provider-apps/${providerAppId}.`;
  return unavailable(detail, error);
}

function appMissing({ logger }: RefreshSource, projectId: string, opened: OpenedConnection): ProviderAppMissingError {
  const { provider, connectionId } = opened.live;
  const { providerAppId } = opened;
  logger.error({ projectId, connectionId, provider, providerAppId }, 'provider-app.missing');
  const which = providerAppId === undefined ? `a provider app of ${provider}` : `the provider app ${providerAppId}`;
  const detail = `The access token could not be refreshed: the project lacks ${which}. Register it with POST provider-apps.`;
  return new ProviderAppMissingError({ class: 'unavailable', detail });
}

function unavailable(detail: string, cause?: ProviderError): ProviderError {
  return new ProviderError({ class: 'unavailable', detail, retryAfterMs: cause?.retryAfterMs, cause });
}
