import type { ProviderError } from '@sluice/errors';
import type { RouteRequest } from '@sluice/http';
import type { ConnectionChange } from '@sluice/store';
import {
  accessOf,
  authSchemeOf,
  checkConnectionCredentials,
  checkNamedWorkspace,
  checkUpdateConnectionRequest,
  credentialMemberOf,
  isSameWorkspace,
  maskedConnection,
  metadataValues,
  namedWorkspace,
  withNamedWorkspace,
} from '@sluice/types';
import type { Connection, ConnectionRequest, GenerateConnectionRequest, UpdateConnectionRequest } from '@sluice/types';
import type { ManagementContext } from '../context';
import { contradiction, refuseIssues } from '../refusals';
import { getConnection, getConnector } from './get-connection';
import {
  isOtherWorkspace,
  isRefusal,
  learnAccount,
  newConnection,
  obtainCredentials,
  refusal,
  refuseOtherWorkspace,
} from './obtain-credentials';
import type { ObtainedCredentials, ReportedAccount } from './obtain-credentials';

/**
 * Makes a connection from given credentials, after the provider was asked which account they open: it decides the lane.
 * When the provider does not answer, the connection is made all the same, with a lane of its own.
 * @throws ValidationError 422 when the provider does not take the scheme, refuses the credentials or reports another workspace
 */
export async function generateConnection(
  context: ManagementContext,
  projectId: string,
  sent: GenerateConnectionRequest,
  traceparent: string,
): Promise<Connection> {
  refuseIssues([...checkConnectionCredentials(sent), ...checkNamedWorkspace(sent)]);
  const request = withNamedWorkspace(sent);
  const { provider, providerMetadata } = request;
  const connector = getConnector(context, provider, 'provider');
  await refuseForeignApp(context, projectId, request);
  const obtained = await obtainCredentials({ connector, request, traceparent, path: '' });
  const workspaceRef = request.providerWorkspaceRef ?? obtained.workspaceRef;
  const metadata = providerMetadata && metadataValues(providerMetadata);
  const auth = accessOf({ credentials: obtained.credentials, workspaceRef, metadata });
  const account = await learnAccount(context, projectId, connector, { auth, traceparent }).catch((error: unknown) => {
    throw isRefusal(error) ? refused(request, obtained.member, error) : error;
  });
  refuseOtherWorkspace(request.providerWorkspaceRef, account.workspaceRef, 'providerWorkspaceRef');
  const basis = { ...request, projectId, workspaceRef: request.providerWorkspaceRef };
  const connection = await context.store.connections.create(newConnection(context, basis, obtained, account));
  context.logger.info({ projectId, connectionId: connection.id }, 'connection.created');
  return connection;
}

async function refuseForeignApp(
  { store }: ManagementContext,
  projectId: string,
  { providerAppId, provider }: GenerateConnectionRequest,
): Promise<void> {
  if (providerAppId === undefined) return;
  const app = await store.providerApps.find(projectId, providerAppId);
  if (app?.provider === provider) return;
  const foreign = app && `names an app of ${app.provider}, not of ${provider}`;
  throw contradiction({
    name: 'providerAppId',
    detail: foreign ?? 'names no provider app of this project',
    value: providerAppId,
    remedy: 'Name an app that GET provider-apps lists, or leave the member out.',
  });
}

/** A refusal that is not of the token is of the place that was asked: nothing else is left. */
function refused(
  { provider, providerWorkspaceRef: value }: GenerateConnectionRequest,
  member: string,
  error: ProviderError,
) {
  if (error.class === 'credentials') return refusal(provider, member, error);
  const detail = `or ${member} is refused by ${provider}: ${error.detail.replace(/\.$/, '')}`;
  const remedy = 'Send the workspace that these credentials open.';
  return contradiction({ name: 'providerWorkspaceRef', detail, value, remedy });
}

/**
 * Changes what the mask names. New credentials, and another place to use them, must open the account that the connection was
 * made for: its lane belongs to that account. So the provider is asked, and nothing is changed while it does not answer.
 * @throws ValidationError 400 for the mask; 422 when kind, account or workspace do not fit, or the provider refuses them
 * @throws ProviderError when the provider cannot be asked now
 */
export async function updateConnection(
  context: ManagementContext,
  projectId: string,
  connectionId: string,
  { caller, body, traceparent }: RouteRequest<{ body: UpdateConnectionRequest }>,
): Promise<Connection> {
  const { updateMask } = body;
  refuseIssues(checkUpdateConnectionRequest(body));
  const connection = await getConnection(context, projectId, connectionId, { caller });
  const named = maskedConnection(body);
  refuseOtherKind(connection, named);
  const change = await accountChange(context, connection, named, traceparent);
  const providerMetadata = updateMask.includes('providerMetadata')
    ? (body.connection.providerMetadata ?? null)
    : undefined;
  await context.store.connections.change({ projectId, connectionId, ...change, providerMetadata });
  context.logger.info({ projectId, connectionId, fields: updateMask.join(',') }, 'connection.updated');
  return await getConnection(context, projectId, connectionId, { caller });
}

function refuseOtherKind({ authScheme }: Connection, named: ConnectionRequest): void {
  const member = credentialMemberOf(named);
  const kind = authSchemeOf(named);
  if (member === undefined || kind === authScheme) return;
  throw contradiction({
    name: `connection.${member}`,
    detail: `is for connections of ${kind}, and this one is of ${authScheme}`,
    remedy: authScheme.startsWith('oauth2/authorizationCode')
      ? 'Let the customer connect again, with PATCH connections/{id}:oauth-update.'
      : `Send credentials of ${authScheme}, or make another connection.`,
  });
}

/** The workspace that a change names; undefined also where its metadata only repeats the connection's, as forms do that send all. */
function workspaceChange(connection: Connection, named: ConnectionRequest): string | undefined {
  const [own, meant] = [connection.providerWorkspaceRef, namedWorkspace(named)];
  if (named.providerWorkspaceRef !== undefined || own === undefined || meant === undefined) return meant;
  return isSameWorkspace(own, meant) ? undefined : meant;
}

async function accountChange(
  context: ManagementContext,
  connection: Connection,
  named: ConnectionRequest,
  traceparent: string,
): Promise<Omit<ConnectionChange, 'projectId' | 'connectionId'>> {
  const hasCredentials = credentialMemberOf(named) !== undefined;
  const given = workspaceChange(connection, named);
  if (!hasCredentials && given === undefined) return {};
  const connector = context.connectors.get(connection.provider);
  const request = { ...named, providerWorkspaceRef: given ?? connection.providerWorkspaceRef };
  const order = { connector, request, traceparent, path: 'connection.' };
  const obtained = hasCredentials ? await obtainCredentials(order) : undefined;
  const account = await accountOf(context, connection, { given, obtained, traceparent });
  return {
    workspaceRef: account.workspaceRef,
    providerConsumerRef: account.consumerRef,
    credentials: obtained && toNewCredentials(context, connection.id, obtained),
  };
}

/**
 * Asks the provider which account the connection would open, which must be the one that its lane was made for. A workspace that
 * is known to be another is refused before a token goes there.
 * @param given the workspace that the change names @param obtained the new credentials; undefined: the stored ones are asked with
 * @throws ValidationError 422 for another account or workspace, and for what the provider refuses
 * @throws ProviderError when the provider cannot be asked now
 */
async function accountOf(
  { connectors, installations, store }: ManagementContext,
  { projectId, id: connectionId, provider, providerMetadata, providerWorkspaceRef: own }: Connection,
  { given, obtained, traceparent }: { given?: string; obtained?: ObtainedCredentials; traceparent: string },
): Promise<ReportedAccount> {
  const workspaceName = 'connection.providerWorkspaceRef';
  const name = obtained?.member ?? workspaceName;
  const known = await store.connections.findAccountRef({ projectId, connectionId });
  refuseOther(known, given, workspaceName);
  const credentials =
    obtained?.credentials ?? (await installations.liveCredentials(projectId, connectionId)).credentials;
  const metadata = providerMetadata && metadataValues(providerMetadata);
  const auth = accessOf({ credentials, workspaceRef: given ?? own, metadata });
  let account: ReportedAccount;
  try {
    account = await connectors.get(provider).workspace({ auth, traceparent });
  } catch (error) {
    throw isRefusal(error) ? refusal(provider, name, error, 'Send what the provider accepts now.') : error;
  }
  refuseOtherWorkspace(given, account.workspaceRef, workspaceName);
  // Nobody knew it when the lane was made: then the workspace of the connection counts, unless it is what changes.
  refuseOther(known ?? (given === undefined ? own : undefined), account.workspaceRef, name);
  return account;
}

function refuseOther(account: string | undefined, opened: string | undefined, name: string): void {
  if (!isOtherWorkspace(account, opened)) return;
  throw contradiction({
    name,
    detail: `opens the account ${opened}, and the connection belongs to ${account}`,
    remedy: 'Make another connection for another account, with POST connections:generate.',
  });
}

/** New credentials of a connection, sealed. */
export function toNewCredentials(
  { installations }: ManagementContext,
  connectionId: string,
  { credentials, scopes, expiresInMs }: Pick<ObtainedCredentials, 'credentials' | 'scopes' | 'expiresInMs'>,
): NonNullable<ConnectionChange['credentials']> {
  return { sealed: installations.seal(connectionId, credentials), scopes, expiresInMs };
}
