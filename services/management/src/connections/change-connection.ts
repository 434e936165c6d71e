import type { Connector } from '@sluice/connectors';
import type { ProviderError } from '@sluice/errors';
import type { RouteRequest } from '@sluice/http';
import type { ConnectionChange, KnownAccount, UsedConnection } from '@sluice/store';
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
  statusEvent,
  withNamedWorkspace,
} from '@sluice/types';
import type { Connection, ConnectionRequest, GenerateConnectionRequest, UpdateConnectionRequest } from '@sluice/types';
import type { ManagementContext } from '../context';
import { contradiction, refuseIssues } from '../refusals';
import { getConnection, getConnector } from './get-connection';
import {
  isOtherAccount,
  isOtherWorkspace,
  isRefusal,
  learnAccount,
  newConnection,
  obtainCredentials,
  refusal,
  refuseOtherWorkspace,
  shownName,
} from './obtain-credentials';
import type { ObtainedCredentials, ReportedAccount } from './obtain-credentials';

/** The request that a change is part of. */
interface Asked {
  readonly traceparent: string;
  /** The connect session that notes the connection. */
  readonly connectSessionId?: string;
}

/** The change of a connection in use, and its request. */
interface RenewedCredentials {
  readonly connectSessionId: string | undefined;
  readonly request: GenerateConnectionRequest;
  readonly obtained: ObtainedCredentials;
  readonly account: ReportedAccount;
}

/**
 * Makes a connection from given credentials, after the provider was asked which account they open: it decides the lane. When the provider does not
 * answer, the connection is made all the same, with a lane of its own. If an installation uses a connection of the same group, consumer, provider and
 * account, that connection gets the credentials. So the customer's writes continue.
 * @throws ValidationError 422 when the provider does not take the scheme, refuses the credentials or reports another workspace
 * @throws ProviderError when the provider does not answer, and a connection in use might be of the same account
 */
export async function generateConnection(
  context: ManagementContext,
  projectId: string,
  sent: GenerateConnectionRequest,
  { traceparent, connectSessionId }: Asked,
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
  const inUse = await context.store.connections.listUsed({ ...request, projectId });
  const used = inUse.filter((each) => mayBeRenewed(each, obtained.authScheme));
  const call = { auth, traceparent };
  const asked = used.length > 0 ? connector.workspace(call) : learnAccount(context, projectId, connector, call);
  const account = await asked.catch((error: unknown) => {
    throw isRefusal(error) ? refused(connector, request, obtained.member, error) : error;
  });
  refuseOtherWorkspace(request.providerWorkspaceRef, account.workspaceRef, 'providerWorkspaceRef');
  const same = connectionOf(used, { ...account, workspaceRef: account.workspaceRef ?? workspaceRef, metadata });
  const renewed =
    same && (await renewConnection(context, projectId, same, { request, obtained, account, connectSessionId }));
  if (renewed !== undefined) return renewed;
  const basis = { ...request, projectId, workspaceRef: request.providerWorkspaceRef, connectSessionId };
  const connection = await context.store.connections.create(newConnection(context, basis, obtained, account));
  context.logger.info({ projectId, connectionId: connection.id }, 'connection.created');
  return connection;
}

/** Credentials of another kind never replace working ones. */
function mayBeRenewed({ authScheme, status }: UsedConnection, given: Connection['authScheme']): boolean {
  return authScheme === given || status === 'bad_credentials';
}

/**
 * The connection in use that belongs to the account. The account that the provider reports decides. If it reports none, the workspace and the
 * metadata that both name decide. Undefined: each belongs to another account.
 */
function connectionOf(
  used: readonly UsedConnection[],
  { metadata = {}, ...account }: ReportedAccount & { metadata?: Readonly<Record<string, string>> },
): UsedConnection | undefined {
  const isCertain = (known: UsedConnection) => {
    const hasIds = known.accountId !== undefined && account.accountId !== undefined;
    const hasNames = known.accountRef !== undefined && account.workspaceRef !== undefined;
    return (hasIds || hasNames) && !isOtherAccount(known, account);
  };
  const isPossible = ({ accountId, accountRef, providerWorkspaceRef, providerMetadata = {} }: UsedConnection) =>
    !isOtherAccount({ accountId, accountRef: accountRef ?? providerWorkspaceRef }, account) &&
    Object.entries(metadataValues(providerMetadata)).every(([name, value]) => (metadata[name] ?? value) === value);
  return used.find(isCertain) ?? used.find(isPossible);
}

/** Undefined when the connection was deleted meanwhile. */
async function renewConnection(
  context: ManagementContext,
  projectId: string,
  { id: connectionId, status }: UsedConnection,
  { request, obtained, account, connectSessionId }: RenewedCredentials,
): Promise<Connection | undefined> {
  const { groupRef, groupName, consumerRef, consumerName, providerAppId, providerMetadata } = request;
  const { connections, groups } = context.store;
  const { authScheme } = obtained;
  const isThere = await connections.change({
    projectId,
    connectionId,
    connectSessionId,
    credentials: { ...toNewCredentials(context, connectionId, obtained), authScheme, providerAppId },
    workspaceRef: account.workspaceRef ?? request.providerWorkspaceRef ?? obtained.workspaceRef,
    accountId: account.accountId,
    providerConsumerRef: account.consumerRef,
    addedMetadata: providerMetadata,
  });
  if (!isThere) return undefined;
  if (groupName !== undefined) await groups.putGroup({ projectId, groupRef, groupName });
  if (consumerName !== undefined) await groups.putConsumer({ projectId, consumerRef, consumerName });
  context.logger.info({ projectId, connectionId }, 'connection.connected-again');
  logRestored(context, { id: connectionId, projectId, provider: request.provider, status }, groupRef);
  return await connections.find(projectId, connectionId);
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

/** A rejection that is not about the token is about the requested workspace. */
function refused(
  connector: Connector,
  { providerWorkspaceRef: value }: GenerateConnectionRequest,
  member: string,
  error: ProviderError,
) {
  if (error.class === 'credentials') return refusal(connector, member, error);
  const detail = `or ${member} is refused by ${shownName(connector)}: ${error.detail.replace(/\.$/, '')}`;
  const remedy = 'Send the workspace that these credentials open.';
  return contradiction({ name: 'providerWorkspaceRef', detail, value, remedy });
}

type UpdateOrder = Asked & Pick<RouteRequest<{ body: UpdateConnectionRequest }>, 'caller' | 'body'>;

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
  { caller, body, traceparent, connectSessionId }: UpdateOrder,
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
  await context.store.connections.change({ projectId, connectionId, connectSessionId, ...change, providerMetadata });
  context.logger.info({ projectId, connectionId, fields: updateMask.join(',') }, 'connection.updated');
  if (change.credentials !== undefined) logRestored(context, connection, connection.group.groupRef);
  return await getConnection(context, projectId, connectionId, { caller });
}

/** Logs the recovery from `connection.bad-credentials`. @param connection as it was before it got new credentials */
export function logRestored(
  { logger }: ManagementContext,
  { id: connectionId, projectId, provider, status }: Pick<Connection, 'id' | 'projectId' | 'provider' | 'status'>,
  groupRef: string,
): void {
  const event = statusEvent(status, 'created');
  if (event !== undefined) logger.warn({ projectId, groupRef, provider, connectionId }, event);
}

function refuseOtherKind({ authScheme }: Connection, named: ConnectionRequest): void {
  const member = credentialMemberOf(named);
  const kind = authSchemeOf(named);
  // Tokens of an authorization are the same with and without PKCE.
  const isOfAuthorization = member === 'oauth2AuthorizationCode' && authScheme.startsWith('oauth2/authorizationCode');
  if (member === undefined || kind === authScheme || isOfAuthorization) return;
  throw contradiction({
    name: `connection.${member}`,
    detail: `is for connections of ${kind}, and this one is of ${authScheme}`,
    remedy: authScheme.startsWith('oauth2/authorizationCode')
      ? 'Let the customer connect again, with PATCH connections/{id}:oauth-update, or send oauth2AuthorizationCode.'
      : `Send credentials of ${authScheme}, or these with POST connections:generate.`,
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
  const order = { connector, request, traceparent, path: 'connection.', own: connection.authScheme };
  const obtained = hasCredentials ? await obtainCredentials(order) : undefined;
  const account = await accountOf(context, connection, { given, obtained, traceparent });
  return {
    workspaceRef: account.workspaceRef,
    accountId: account.accountId,
    providerConsumerRef: account.consumerRef,
    credentials: obtained && toNewCredentials(context, connection.id, obtained),
  };
}

/**
 * Asks the provider which account the connection would open, which must be the one that its lane was made for. A workspace that
 * is known to be another is refused before a token goes there. Where only its name may be another, the provider is asked at its login for the
 * stored credentials, and at the new address for those of the request.
 * @param given the workspace that the change names @param obtained the new credentials; undefined: the stored ones are asked with
 * @throws ValidationError 422 for another account or workspace, and for what the provider refuses
 * @throws ProviderError when the provider cannot be asked now
 */
async function accountOf(
  { connectors, installations, store }: ManagementContext,
  {
    projectId,
    id: connectionId,
    provider,
    providerMetadata,
    providerWorkspaceRef: own,
    providerConsumerRef,
  }: Connection,
  { given, obtained, traceparent }: { given?: string; obtained?: ObtainedCredentials; traceparent: string },
): Promise<ReportedAccount> {
  const workspaceName = 'connection.providerWorkspaceRef';
  const name = obtained?.member ?? workspaceName;
  const known = await store.connections.findAccount({ projectId, connectionId });
  const isRenaming = isOtherWorkspace(known.accountRef, given);
  const user = obtained && connectors.get(provider).isNamedByAddress ? providerConsumerRef : undefined;
  const refuseUnknown = () => refuseOther({ accountRef: known.accountRef }, { workspaceRef: given }, workspaceName);
  if (known.accountId === undefined && user === undefined) refuseUnknown();
  // Stored credentials never go to a host that a caller names: where the account is now, the provider says at its own login.
  const asksAtLogin = isRenaming && obtained === undefined;
  const credentials =
    obtained?.credentials ?? (await installations.liveCredentials(projectId, connectionId)).credentials;
  const metadata = providerMetadata && metadataValues(providerMetadata);
  const auth = accessOf({ credentials, workspaceRef: asksAtLogin ? undefined : (given ?? own), metadata });
  let account: ReportedAccount;
  try {
    account = await connectors.get(provider).workspace({ auth, traceparent });
  } catch (error) {
    if (asksAtLogin && isRefusal(error)) refuseUnknown();
    throw isRefusal(error)
      ? refusal(connectors.get(provider), name, error, 'Send what the provider accepts now.')
      : error;
  }
  refuseOtherWorkspace(given, account.workspaceRef, workspaceName);
  const isSameUser = user !== undefined && user === account.consumerRef;
  // The account was not known when the lane was made. Then the connection's workspace counts, unless this change replaces it.
  const accountRef = known.accountRef ?? (given === undefined ? own : undefined);
  if (!isSameUser) refuseOther({ ...known, accountRef }, account, name);
  return account;
}

function refuseOther(known: KnownAccount, opened: ReportedAccount, name: string): void {
  if (!isOtherAccount(known, opened)) return;
  throw contradiction({
    name,
    detail: `opens the account ${opened.workspaceRef}, and the connection belongs to ${known.accountRef ?? known.accountId}`,
    remedy: 'Make another connection for another account, with POST connections:generate.',
  });
}

/** New credentials of a connection, sealed. */
export function toNewCredentials(
  { installations }: ManagementContext,
  connectionId: string,
  { credentials, scopes, expiresInMs }: Pick<ObtainedCredentials, 'credentials' | 'scopes' | 'expiresInMs'>,
): NonNullable<ConnectionChange['credentials']> {
  return { sealed: installations.seal({ noun: 'connection', id: connectionId }, credentials), scopes, expiresInMs };
}
