import type { Connector } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import type { OAuthState } from '@sluice/store';
import { metadataValues, oauthStateLifeMs, type ProviderApp } from '@sluice/types';
import { callbackUrl } from '../callback-address';
import type { ManagementContext } from '../context';
import { getConnector } from './get-connector';
import { cookieOf } from './oauth-cookie';
import { hashOf, newSecret, newProjectSecret } from '../one-time-secrets';
import { contradiction } from '../refuse-issues';

/** Who is to allow what in. */
export interface AuthorizationOrder extends Omit<
  OAuthState,
  'stateHash' | 'redirectUri' | 'cookieHash' | 'sealedVerifier' | 'providerAppId'
> {
  /** @default the project's newest of the provider */
  readonly providerAppId?: string;
  /** @default false */
  readonly enableCSRFProtection?: boolean;
}

/** Where the customer's browser is to be sent. */
export interface BegunAuthorization {
  readonly url: string;
  /** `Set-Cookie`, where CSRF protection was asked for. */
  readonly cookie?: string;
}

/**
 * Begins an authorization: keeps what its return is to be joined with, for ten minutes and one use.
 * @throws ValidationError 422 when the provider has no such page, or the project has no app of it
 */
export async function beginAuthorization(
  context: ManagementContext,
  { providerAppId, enableCSRFProtection = false, ...order }: AuthorizationOrder,
): Promise<BegunAuthorization> {
  const connector = getConnector(context, order.provider, 'provider');
  const { authorizationUrl } = connector;
  if (authorizationUrl === undefined) throw noPage(order.provider, connector.authSchemes);
  const app = await findApp(context, order, providerAppId);
  const [state, verifier, cookie] = [newProjectSecret(order.projectId), newSecret(), newSecret()];
  const [stateHash, redirectUri] = [hashOf(state), callbackUrl(context.config)];
  const { projectId, provider, workspaceRef, providerMetadata: metadata } = order;
  const url = pageOf(connector, () =>
    authorizationUrl({
      clientId: app.clientId,
      redirectUri,
      state,
      codeChallenge: hashOf(verifier),
      ...(app.scopes === undefined ? {} : { scopes: app.scopes }),
      ...(workspaceRef === undefined ? {} : { workspaceRef }),
      ...(metadata === undefined ? {} : { metadata: metadataValues(metadata) }),
    }),
  );
  await context.store.oauthStates.save(
    {
      ...order,
      stateHash,
      redirectUri,
      providerAppId: app.id,
      verifier: context.installations.sealVerifier(stateHash, verifier),
      ...(enableCSRFProtection ? { cookieHash: hashOf(cookie) } : {}),
    },
    oauthStateLifeMs,
  );
  context.logger.info({ projectId, provider, providerAppId: app.id }, 'authorization.begun');
  return {
    url: withAppParameters(url, app),
    ...(enableCSRFProtection ? { cookie: cookieOf(stateHash, cookie, redirectUri) } : {}),
  };
}

/** The address of the page; what it needs of the account and is not given, or is none, is the caller's to correct. */
function pageOf({ provider }: Connector, urlOf: () => string): string {
  try {
    return urlOf();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw contradiction({
      code: 'connection.scheme-mismatch',
      name: 'The account',
      detail: `has no page at ${provider}: ${error.detail}`,
      remedy: 'Send the providerWorkspaceRef and the providerMetadata that the address needs.',
    });
  }
}

/** The builder's parameters come besides ours, never in place of them. Source: specification, Provider App. */
function withAppParameters(address: string, { metadata }: ProviderApp): string {
  const url = new URL(address);
  const added = Object.entries(metadata?.authQueryParams ?? {}).filter(([name]) => !url.searchParams.has(name));
  for (const [name, values] of added) for (const value of values) url.searchParams.append(name, value);
  return url.href;
}

async function findApp(
  { store }: ManagementContext,
  { projectId, provider }: Pick<OAuthState, 'projectId' | 'provider'>,
  appId: string | undefined,
): Promise<ProviderApp> {
  const { providerApps } = store;
  const app = await (appId === undefined
    ? providerApps.findNewest(projectId, provider)
    : providerApps.find(projectId, appId));
  if (app?.provider === provider) return app;
  throw contradiction({
    code: 'connection.scheme-mismatch',
    name: 'providerAppId',
    detail:
      appId === undefined
        ? `is needed: the project has no provider app of ${provider}`
        : `names no provider app of ${provider} in this project`,
    ...(appId === undefined ? {} : { value: appId }),
    remedy: `Register the OAuth app of ${provider} with POST provider-apps.`,
  });
}

function noPage(provider: string, schemes: readonly string[]) {
  return contradiction({
    code: 'connection.scheme-mismatch',
    name: 'provider',
    detail: `has no page where customers allow apps in: it takes ${schemes.join(', ')}`,
    value: provider,
    remedy: 'Use POST connections:generate.',
  });
}
