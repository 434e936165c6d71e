import type { ConnectionKey } from '@sluice/store';
import type { Caller, Connection, Credentials, LiveCredentials } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getConnectionOfPath } from './get-connection';

/** What a caller wants to see of a connection. Source: published API, get connection. */
export interface ConnectionView {
  /** The access token with its scopes, or the API key. */
  readonly includeCreds?: boolean;
  /** The refresh token too; includes the credentials. */
  readonly includeRefreshToken?: boolean;
  /** `force`: a new access token now. `ifExpired`: when the stored one is at its end. */
  readonly refresh?: 'force' | 'ifExpired';
}

/** Whether the view goes beyond the resource, which is a matter of keys that may do everything. */
export function isPrivileged({ includeCreds, includeRefreshToken, refresh }: ConnectionView): boolean {
  return includeCreds === true || includeRefreshToken === true || refresh !== undefined;
}

/**
 * The connection, with its secrets only where they are asked for. What cannot be refreshed is shown as it is.
 * @throws ProviderError when a forced refresh fails; `credentials` when the grant is gone
 */
export async function showConnection(
  context: ManagementContext,
  { projectId, connectionId, caller }: ConnectionKey & { readonly caller: Caller },
  view: ConnectionView,
): Promise<Connection> {
  const known = await getConnectionOfPath(context, projectId, connectionId, caller);
  if (!isPrivileged(view)) return known;
  const live = await credentialsNow(context, { projectId, connectionId }, view.refresh);
  const connection =
    view.refresh === undefined ? known : await getConnectionOfPath(context, projectId, connectionId, caller);
  if (view.includeCreds !== true && view.includeRefreshToken !== true) return connection;
  const stored = await context.store.connections.findCredentials(projectId, connectionId);
  context.logger.info({ projectId, connectionId }, 'connection.credentials-shown');
  return { ...connection, ...secretsOf(live.credentials, stored?.scopes, view.includeRefreshToken === true) };
}

async function credentialsNow(
  { installations }: ManagementContext,
  { projectId, connectionId }: ConnectionKey,
  refresh: ConnectionView['refresh'],
): Promise<LiveCredentials> {
  if (refresh === 'ifExpired') return await installations.liveCredentials(projectId, connectionId);
  const stored = await installations.storedCredentials(projectId, connectionId);
  if (refresh === undefined) return stored;
  return (await installations.refreshCredentials(projectId, connectionId, stored.tokenVersion)) ?? stored;
}

/** The published shape has one place for tokens, whatever grant they come from. What tokens are asked for with is never shown. */
function secretsOf(credentials: Credentials, scopes: readonly string[] | undefined, withRefreshToken: boolean) {
  const { apiKey, accessToken, refreshToken, expiresAt } = credentials;
  if (apiKey !== undefined) return { apiKey };
  if (accessToken === undefined) return {};
  return {
    oauth2AuthorizationCode: {
      accessToken: { token: accessToken, ...(expiresAt === undefined ? {} : { expiresAt }) },
      ...(withRefreshToken && refreshToken !== undefined ? { refreshToken: { token: refreshToken } } : {}),
      ...(scopes === undefined ? {} : { scopes }),
    },
  };
}
