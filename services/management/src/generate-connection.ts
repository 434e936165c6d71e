import { ProviderError, type FailureClass } from '@sluice/errors';
import type { Connector } from '@sluice/connectors';
import {
  authSchemeOf,
  checkConnectionCredentials,
  checkWorkspaceRef,
  credentialsOf,
  isSameWorkspace,
  type Connection,
  type GenerateConnectionRequest,
} from '@sluice/types';
import type { ManagementContext } from './context';
import { getConnector } from './get-connector';
import { contradiction, refuseIssues } from './refuse-issues';

/** A generate request with what came beside the body. */
export interface ConnectionOrder {
  readonly projectId: string;
  readonly request: GenerateConnectionRequest;
  readonly traceparent: string;
}

/** The account that the provider itself reports; empty when it could not be asked. */
interface ReportedAccount {
  readonly workspaceRef?: string;
  readonly consumerRef?: string;
}

/** The provider said no to these very credentials. Of every other failure nothing follows for them. */
const refusals: readonly FailureClass[] = ['credentials', 'rejected', 'not-found', 'conflict'];

/**
 * Makes a connection from given credentials, after the provider was asked which account they open: it decides the lane.
 * When the provider does not answer, the connection is made all the same, with a lane of its own.
 * @throws ValidationError 422 when the provider refuses the credentials or reports another workspace
 */
export async function generateConnection(context: ManagementContext, order: ConnectionOrder): Promise<Connection> {
  const { projectId, request } = order;
  refuseIssues([...checkConnectionCredentials(request), ...checkWorkspaceRef(request.providerWorkspaceRef)]);
  const connector = getConnector(context, request.provider, 'provider');
  await refuseForeignApp(context, projectId, request);
  const secret = accessTokenOf(request);
  const account = await learnAccount(context, connector, { ...order, ...secret });
  refuseOtherWorkspace(request.providerWorkspaceRef, account.workspaceRef);
  const connection = await context.store.connections.create({
    projectId,
    provider: request.provider,
    groupRef: request.groupRef,
    consumerRef: request.consumerRef,
    ...(request.groupName === undefined ? {} : { groupName: request.groupName }),
    ...(request.consumerName === undefined ? {} : { consumerName: request.consumerName }),
    authScheme: authSchemeOf(request),
    ...toAccountMembers(request, account),
    seal: (connectionId) => context.installations.seal(connectionId, credentialsOf(request)),
  });
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
  throw contradiction({
    code: 'connection.scheme-mismatch',
    name: 'providerAppId',
    detail:
      app === undefined
        ? 'names no provider app of this project'
        : `names an app of ${app.provider}, not of ${provider}`,
    value: providerAppId,
    remedy: 'Name an app that GET provider-apps lists, or leave the member out.',
  });
}

/** Spec is silent on how the other kinds are used; they come with the providers that need them. */
function accessTokenOf(request: GenerateConnectionRequest): { accessToken: string; member: string } {
  const code = request.oauth2AuthorizationCode?.accessToken?.token;
  if (request.apiKey !== undefined) return { accessToken: request.apiKey, member: 'apiKey' };
  if (code !== undefined) return { accessToken: code, member: 'oauth2AuthorizationCode.accessToken.token' };
  throw contradiction({
    code: 'connection.scheme-mismatch',
    name: 'apiKey',
    detail: `or oauth2AuthorizationCode.accessToken is needed for a connection to ${request.provider}`,
    remedy: 'Send one of the two.',
  });
}

async function learnAccount(
  context: ManagementContext,
  connector: Connector,
  given: ConnectionOrder & { readonly accessToken: string; readonly member: string },
): Promise<ReportedAccount> {
  const { accessToken, traceparent } = given;
  const { providerWorkspaceRef: workspaceRef } = given.request;
  try {
    const auth = { accessToken, ...(workspaceRef === undefined ? {} : { workspaceRef }) };
    return await connector.workspace({ auth, traceparent });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (refusals.includes(error.class)) throw refused(connector.provider, given, error);
    const fields = { projectId: given.projectId, provider: connector.provider, class: error.class };
    context.logger.warn(fields, 'connection.account-unknown');
    return {};
  }
}

function refused(provider: string, { member, request }: { member: string } & ConnectionOrder, error: ProviderError) {
  const said = error.detail.replace(/\.$/, '');
  const code = 'connection.scheme-mismatch';
  if (error.class === 'credentials') {
    const remedy = 'Send credentials that the provider accepts now.';
    return contradiction({ code, name: member, detail: `is refused by ${provider}: ${said}`, remedy });
  }
  // Not the token: what is left is the place that was asked.
  const value = request.providerWorkspaceRef;
  const detail = `or ${member} is refused by ${provider}: ${said}`;
  const remedy = 'Send the workspace that these credentials open.';
  return contradiction({
    code,
    name: 'providerWorkspaceRef',
    detail,
    ...(value === undefined ? {} : { value }),
    remedy,
  });
}

function refuseOtherWorkspace(given: string | undefined, reported: string | undefined): void {
  if (given === undefined || reported === undefined || isSameWorkspace(given, reported)) return;
  throw contradiction({
    code: 'connection.scheme-mismatch',
    name: 'providerWorkspaceRef',
    detail: `does not fit the credentials, which open the workspace ${reported}`,
    value: given,
  });
}

function toAccountMembers(request: GenerateConnectionRequest, account: ReportedAccount) {
  const workspaceRef = account.workspaceRef ?? request.providerWorkspaceRef;
  const code = request.oauth2AuthorizationCode;
  const expiresAt = code?.accessToken?.expiresAt;
  return {
    ...(account.workspaceRef === undefined ? {} : { reportedAccountRef: account.workspaceRef }),
    ...(workspaceRef === undefined ? {} : { workspaceRef }),
    ...(account.consumerRef === undefined ? {} : { providerConsumerRef: account.consumerRef }),
    ...(request.providerMetadata === undefined ? {} : { providerMetadata: request.providerMetadata }),
    ...(code?.scopes === undefined ? {} : { scopes: code.scopes }),
    ...(expiresAt === undefined ? {} : { tokenExpiresInMs: Date.parse(expiresAt) - Date.now() }),
    ...(request.providerAppId === undefined ? {} : { providerAppId: request.providerAppId }),
  };
}
