import { ProviderError } from '@sluice/errors';
import type { OAuthState } from '@sluice/store';
import { metadataValues, oauthStateLifeMs, type Connection, type ProviderApp } from '@sluice/types';
import { publicAddress, type ManagementConfig } from '../config';
import type { ManagementContext } from '../context';
import { cookieValue } from '../cookies';
import { hashOf, newProjectSecret, newSecret } from '../one-time-secrets';
import { contradiction } from '../refusals';
import { getConnector } from './get-connection';

/** The reply of the routes that begin an authorization, as in the reference. */
export const consentUrl =
  'https://app.hubspot.com/oauth/authorize?client_id=0f2c9a14-6d55-4f0b-9d0c-3a3f6a1f8f0e&state=…';

/** The customer who is asked, and the app to be allowed. */
export interface AuthorizationOrder extends Omit<
  OAuthState,
  'stateHash' | 'redirectUri' | 'sealedVerifier' | 'providerAppId'
> {
  /** @default the project's newest of the provider */
  readonly providerAppId?: string;
  /** @default false */
  readonly enableCSRFProtection?: boolean;
}

/**
 * Begins an authorization: keeps what its return is to be joined with, for ten minutes and one use.
 * @returns where the customer's browser is to be sent, and `Set-Cookie` where CSRF protection was asked for
 * @throws ValidationError 422 when the provider has no such page, or the project has no app of it
 */
export async function beginAuthorization(
  context: ManagementContext,
  { providerAppId: appId, enableCSRFProtection = false, ...order }: AuthorizationOrder,
) {
  const { projectId, provider, workspaceRef, providerMetadata } = order;
  const { authorizationUrl, authSchemes } = getConnector(context, provider, 'provider');
  if (authorizationUrl === undefined) {
    const detail = `has no page where customers allow apps in: it takes ${authSchemes.join(', ')}`;
    throw contradiction({ name: 'provider', detail, value: provider, remedy: 'Use POST connections:generate.' });
  }
  const { id: providerAppId, ...app } = await findApp(context, order, appId);
  const [state, verifier, cookie] = [newProjectSecret(projectId), newSecret(), newSecret()];
  const [stateHash, redirectUri, codeChallenge] = [hashOf(state), callbackUrl(context.config), hashOf(verifier)];
  const metadata = providerMetadata && metadataValues(providerMetadata);
  const { clientId, scopes } = app;
  const page = { clientId, redirectUri, state, codeChallenge, scopes, workspaceRef, metadata };
  let url: string;
  try {
    url = authorizationUrl(page);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // What the address needs of the account and is not given, or is none, is the caller's to correct.
    const detail = `has no page at ${provider}: ${error.detail}`;
    const remedy = 'Send the providerWorkspaceRef and the providerMetadata that the address needs.';
    throw contradiction({ name: 'The account', detail, remedy });
  }
  const begun = {
    ...order,
    stateHash,
    redirectUri,
    providerAppId,
    verifier: context.installations.seal({ noun: 'authorization', id: stateHash }, verifier),
    cookieHash: enableCSRFProtection ? hashOf(cookie) : order.cookieHash,
  };
  await context.store.oauthStates.save(begun, oauthStateLifeMs);
  context.logger.info({ projectId, provider, providerAppId }, 'authorization.begun');
  return {
    url: withAppParameters(url, app),
    cookie: enableCSRFProtection ? cookieOf(stateHash, cookie, redirectUri) : undefined,
  };
}

/** The builder's parameters are added to ours, and never replace them. Source: specification, Provider App. */
function withAppParameters(address: string, { metadata }: Pick<ProviderApp, 'metadata'>): string {
  const url = new URL(address);
  const added = Object.entries(metadata?.authQueryParams ?? {}).filter(([name]) => !url.searchParams.has(name));
  for (const [name, values] of added) for (const value of values) url.searchParams.append(name, value);
  return url.href;
}

async function findApp(
  { store: { providerApps } }: ManagementContext,
  { projectId, provider }: Pick<OAuthState, 'projectId' | 'provider'>,
  appId: string | undefined,
): Promise<ProviderApp> {
  const app = await (appId === undefined
    ? providerApps.findNewest(projectId, provider)
    : providerApps.find(projectId, appId));
  if (app?.provider === provider) return app;
  throw contradiction({
    name: 'providerAppId',
    detail:
      appId === undefined
        ? `is needed: the project has no provider app of ${provider}`
        : `names no provider app of ${provider} in this project`,
    value: appId,
    remedy: `Register the OAuth app of ${provider} with POST provider-apps.`,
  });
}

/**
 * The authorization that gives a connection new tokens, at the place that its metadata names.
 * @throws ValidationError 422 for a connection whose tokens do not come from a customer's page, unless its scheme ends
 */
export function reconnection({ connectors }: ManagementContext, connection: Connection): AuthorizationOrder {
  const { authScheme, projectId, provider } = connection;
  const isEnding = connectors.find(provider)?.endingSchemes?.[authScheme] !== undefined;
  if (!authScheme.startsWith('oauth2/authorizationCode') && !isEnding) {
    throw contradiction({
      name: 'connectionId',
      detail: `names a connection of ${authScheme}, which no customer's page gives tokens for`,
      remedy: 'Send new credentials with PATCH connections/{id}.',
    });
  }
  return {
    projectId,
    provider,
    groupRef: connection.group.groupRef,
    consumerRef: connection.consumer.consumerRef,
    connectionId: connection.id,
    workspaceRef: connection.providerWorkspaceRef,
    providerMetadata: connection.providerMetadata,
    providerAppId: connection.providerApp?.id,
  };
}

/** Where providers send customers back to. Source: published API. */
export const callbackPath = '/callbacks/v1/oauth';

/** The redirect address that is registered at a provider. */
export function callbackUrl(config: Pick<ManagementConfig, 'publicUrl' | 'port'>): string {
  return `${publicAddress(config)}${callbackPath}`;
}

/** One cookie per authorization, so that two that run at once do not take each other's. */
const nameOf = (stateHash: string): string => `sluice_oauth_${stateHash.slice(0, 16)}`;

/**
 * The `Set-Cookie` that ties a return to the browser that began. It is sent to the callback only. Over https it may be set by a
 * request of the builder's page, which is another site; over http, which is for a developer's machine, browsers allow Lax only.
 */
export function cookieOf(stateHash: string, secret: string, callback: string): string {
  const site = callback.startsWith('https:') ? 'SameSite=None; Secure' : 'SameSite=Lax';
  const maxAge = oauthStateLifeMs / 1_000;
  return `${nameOf(stateHash)}=${secret}; Path=${new URL(callback).pathname}; Max-Age=${maxAge}; HttpOnly; ${site}`;
}

/** The secret in a `Cookie` header; undefined when it has none for this authorization. */
export function cookieIn(header: string | undefined, stateHash: string): string | undefined {
  return cookieValue(header, nameOf(stateHash));
}
