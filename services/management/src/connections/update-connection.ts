import type { ConnectionChange } from '@sluice/store';
import {
  authSchemeOf,
  checkUpdateConnectionRequest,
  credentialMemberOf,
  isSameWorkspace,
  maskedConnection,
  namedWorkspace,
  type Caller,
  type Connection,
  type ConnectionRequest,
  type UpdateConnectionRequest,
} from '@sluice/types';
import { accountOfConnection } from './account-of-connection';
import type { ManagementContext } from '../context';
import { getConnectionOfPath } from './get-connection';
import { obtainCredentials, type ObtainedCredentials } from './obtain-credentials';
import { contradiction, refuseIssues } from '../refuse-issues';

/** An update with the names of its path. */
export interface ConnectionUpdate {
  readonly projectId: string;
  readonly connectionId: string;
  readonly request: UpdateConnectionRequest;
  readonly traceparent: string;
  readonly caller: Caller;
}

/**
 * Changes what the mask names. New credentials, and another place to use them, must open the account that the connection was
 * made for: its lane belongs to that account. So the provider is asked, and nothing is changed while it does not answer.
 * @throws ValidationError 400 for the mask; 422 when kind, account or workspace do not fit, or the provider refuses them
 * @throws ProviderError when the provider cannot be asked now
 */
export async function updateConnection(context: ManagementContext, update: ConnectionUpdate): Promise<Connection> {
  const { projectId, connectionId, request } = update;
  refuseIssues(checkUpdateConnectionRequest(request));
  const connection = await getConnectionOfPath(context, projectId, connectionId, update.caller);
  const named = maskedConnection(request);
  refuseOtherKind(connection, named);
  const change = { ...(await accountChange(context, update, connection, named)), ...metadataChange(request) };
  await context.store.connections.change({ projectId, connectionId, ...change });
  const fields = request.updateMask.join(',');
  context.logger.info({ projectId, connectionId, fields }, 'connection.updated');
  return await getConnectionOfPath(context, projectId, connectionId, update.caller);
}

function refuseOtherKind({ authScheme }: Connection, named: ConnectionRequest): void {
  const member = credentialMemberOf(named);
  const kind = authSchemeOf(named);
  if (member === undefined || kind === authScheme) return;
  throw contradiction({
    code: 'connection.scheme-mismatch',
    name: `connection.${member}`,
    detail: `is for connections of ${kind}, and this one is of ${authScheme}`,
    remedy: authScheme.startsWith('oauth2/authorizationCode')
      ? 'Let the customer connect again, with PATCH connections/{id}:oauth-update.'
      : `Send credentials of ${authScheme}, or make another connection.`,
  });
}

function metadataChange({
  updateMask,
  connection,
}: UpdateConnectionRequest): Pick<ConnectionChange, 'providerMetadata'> {
  return updateMask.includes('providerMetadata') ? { providerMetadata: connection.providerMetadata ?? null } : {};
}

/** The workspace that a change names; undefined also where its metadata only repeats the connection's, as forms do that send all. */
function workspaceChange(connection: Connection, named: ConnectionRequest): string | undefined {
  const [own, meant] = [connection.providerWorkspaceRef, namedWorkspace(named)];
  if (named.providerWorkspaceRef !== undefined || own === undefined || meant === undefined) return meant;
  return isSameWorkspace(own, meant) ? undefined : meant;
}

async function accountChange(
  context: ManagementContext,
  update: ConnectionUpdate,
  connection: Connection,
  named: ConnectionRequest,
): Promise<Omit<ConnectionChange, 'projectId' | 'connectionId'>> {
  const member = credentialMemberOf(named);
  const given = workspaceChange(connection, named);
  if (member === undefined && given === undefined) return {};
  const place = given ?? connection.providerWorkspaceRef;
  const request = { ...named, ...(place === undefined ? {} : { providerWorkspaceRef: place }) };
  const connector = context.connectors.get(connection.provider);
  const { traceparent } = update;
  const obtained =
    member === undefined
      ? undefined
      : await obtainCredentials({ connector, request, traceparent, path: 'connection.' });
  const name = obtained?.member ?? 'connection.providerWorkspaceRef';
  const question = { projectId: update.projectId, connection, given, place, name, traceparent };
  const account = await accountOfConnection(context, question, obtained?.credentials);
  return {
    ...(account.workspaceRef === undefined ? {} : { workspaceRef: account.workspaceRef }),
    ...(account.consumerRef === undefined ? {} : { providerConsumerRef: account.consumerRef }),
    ...(obtained === undefined ? {} : { credentials: toNewCredentials(context, update.connectionId, obtained) }),
  };
}

/** New credentials of a connection, sealed. */
export function toNewCredentials(
  { installations }: Pick<ManagementContext, 'installations'>,
  connectionId: string,
  { credentials, scopes, expiresInMs }: Pick<ObtainedCredentials, 'credentials' | 'scopes' | 'expiresInMs'>,
) {
  return {
    sealed: installations.seal(connectionId, credentials),
    ...(scopes === undefined ? {} : { scopes }),
    ...(expiresInMs === undefined ? {} : { expiresInMs }),
  };
}
