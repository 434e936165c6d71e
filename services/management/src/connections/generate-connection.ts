import type { ProviderError } from '@sluice/errors';
import {
  accessOf,
  checkConnectionCredentials,
  checkNamedWorkspace,
  metadataValues,
  withNamedWorkspace,
  type Connection,
  type GenerateConnectionRequest,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { getConnector } from './get-connector';
import { isRefusal, learnAccount, refuseOtherWorkspace, type ReportedAccount } from './learn-account';
import { obtainCredentials, type ObtainedCredentials } from './obtain-credentials';
import { contradiction, refuseIssues } from '../refuse-issues';

/** A generate request with what came beside the body. */
export interface ConnectionOrder {
  readonly projectId: string;
  readonly request: GenerateConnectionRequest;
  readonly traceparent: string;
}

/**
 * Makes a connection from given credentials, after the provider was asked which account they open: it decides the lane.
 * When the provider does not answer, the connection is made all the same, with a lane of its own.
 * @throws ValidationError 422 when the provider does not take the scheme, refuses the credentials or reports another workspace
 */
export async function generateConnection(context: ManagementContext, order: ConnectionOrder): Promise<Connection> {
  const { projectId, traceparent } = order;
  refuseIssues([...checkConnectionCredentials(order.request), ...checkNamedWorkspace(order.request)]);
  const request = withNamedWorkspace(order.request);
  const connector = getConnector(context, request.provider, 'provider');
  await refuseForeignApp(context, projectId, request);
  const obtained = await obtainCredentials({ connector, request, traceparent, path: '' });
  const workspaceRef = request.providerWorkspaceRef ?? obtained.workspaceRef;
  const { providerMetadata: metadata } = request;
  const auth = accessOf({
    credentials: obtained.credentials,
    ...(workspaceRef === undefined ? {} : { workspaceRef }),
    ...(metadata === undefined ? {} : { metadata: metadataValues(metadata) }),
  });
  const account = await learnAccount(context, { projectId, connector, auth, traceparent }).catch((error: unknown) => {
    throw isRefusal(error) ? refused(request, obtained.member, error) : error;
  });
  refuseOtherWorkspace(request.providerWorkspaceRef, account.workspaceRef, 'providerWorkspaceRef');
  const connection = await context.store.connections.create({
    projectId,
    provider: request.provider,
    groupRef: request.groupRef,
    consumerRef: request.consumerRef,
    ...(request.groupName === undefined ? {} : { groupName: request.groupName }),
    ...(request.consumerName === undefined ? {} : { consumerName: request.consumerName }),
    authScheme: obtained.authScheme,
    ...toAccountMembers(request, obtained, account),
    seal: (connectionId) => context.installations.seal(connectionId, obtained.credentials),
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

function refused(
  { provider, providerWorkspaceRef: value }: GenerateConnectionRequest,
  member: string,
  error: ProviderError,
) {
  const said = error.detail.replace(/\.$/, '');
  const code = 'connection.scheme-mismatch';
  if (error.class === 'credentials') {
    const remedy = 'Send credentials that the provider accepts now.';
    return contradiction({ code, name: member, detail: `is refused by ${provider}: ${said}`, remedy });
  }
  // Not the token: what is left is the place that was asked.
  const detail = `or ${member} is refused by ${provider}: ${said}`;
  const remedy = 'Send the workspace that these credentials open.';
  const shown = value === undefined ? {} : { value };
  return contradiction({ code, name: 'providerWorkspaceRef', detail, ...shown, remedy });
}

function toAccountMembers(
  request: GenerateConnectionRequest,
  { scopes, expiresInMs, workspaceRef: named }: ObtainedCredentials,
  account: ReportedAccount,
) {
  const workspaceRef = account.workspaceRef ?? request.providerWorkspaceRef ?? named;
  return {
    ...(account.workspaceRef === undefined ? {} : { reportedAccountRef: account.workspaceRef }),
    ...(workspaceRef === undefined ? {} : { workspaceRef }),
    ...(account.consumerRef === undefined ? {} : { providerConsumerRef: account.consumerRef }),
    ...(request.providerMetadata === undefined ? {} : { providerMetadata: request.providerMetadata }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(expiresInMs === undefined ? {} : { tokenExpiresInMs: expiresInMs }),
    ...(request.providerAppId === undefined ? {} : { providerAppId: request.providerAppId }),
  };
}
