import { ConflictError } from '@sluice/errors';
import { jsonText, type Reply, type RouteRequest, type Router, routesUnder } from '@sluice/http';
import type { StoredConnectSession } from '@sluice/store';
import {
  connectAuthorizationSchema,
  connectChoicesSchema,
  connectCredentialsSchema,
  credentialMemberOf,
  limits,
  pathOf,
  withNamedWorkspace,
  type ConnectChoices,
  type ConnectCredentials,
  type ConnectWay,
  type Connection,
  type ConnectionRequest,
} from '@sluice/types';
import { beginAuthorization, reconnection } from '../connections/begin-authorization';
import { generateConnection, updateConnection } from '../connections/change-connection';
import type { ManagementContext } from '../context';
import { changeInstallation } from '../installations/change-installation';
import { fieldIssues } from '../installations/check-config';
import { contradiction, refuseIssues } from '../refusals';
import { choiceIssues, withChoices } from './choices';
import { describeChoices, isInputNeeded, viewOf, viewOfOther } from './describe-session';
import {
  callerOf,
  connectedMeanwhile,
  install,
  installationOf,
  installSession,
  integrationOf,
  noteFailure,
  noteInstalled,
  reload,
} from './install-session';
import {
  assertUnconnected,
  bindSession,
  connectCookieIn,
  getShownSession,
  newConnectCookie,
  standingOf,
  turnedAway,
} from './session-access';
import type { ShownSession } from './session-access';

/**
 * What the page `/connect` asks for. Open: the token of the session says which one it is, and the cookie that its browser began it. No key counts
 * here. The path names the project, so that a router of cells finds it.
 */
export function connectPageRoutes(router: Router, context: ManagementContext): void {
  const find = (request: RouteRequest<{ params: { projectIdOrName: string } }>) =>
    getShownSession(context, request.params.projectIdOrName, request.header('authorization'));
  const routes = routesUnder(router, '/v1/projects/:projectIdOrName/connect-session', { isInternal: true, find });
  routes.get('', 'showConnectSession', { handle: (request, shown) => showSession(context, request, shown) });
  routes.post('/authorization', 'beginConnectAuthorization', {
    body: connectAuthorizationSchema,
    admit: find,
    handle: async (request, { session }) => {
      const cookieHash = await bindSession(context, session, request.header('cookie'));
      assertUnconnected(await reload(context, session));
      return { body: { url: await authorize(context, session, cookieHash, request.body.inputs) } };
    },
  });
  routes.post('/credentials', 'sendConnectCredentials', {
    body: connectCredentialsSchema,
    admit: find,
    handle: async (request, { session, project }) => {
      await bindSession(context, session, request.header('cookie'));
      assertUnconnected(await reload(context, session));
      await connectOnce(context, session, request.body, request.traceparent);
      const now = await installSession(context, await reload(context, session), request.traceparent);
      return { body: await viewOf(context, project, now) };
    },
  });
  routes.get('/choices', 'listConnectChoices', {
    replyBytesMax: limits.pageBytesMax,
    handle: async (request, { session }) => {
      assertMine(context, session, request.header('cookie'));
      return { stream: jsonText({ objects: await describeChoices(context, session, request) }) };
    },
  });
  routes.post('/choices', 'sendConnectChoices', {
    body: connectChoicesSchema,
    admit: find,
    handle: async (request, { session, project }) => {
      await bindSession(context, session, request.header('cookie'));
      const now = await choose(context, await reload(context, session), request.body, request.traceparent);
      return { body: await viewOf(context, project, now) };
    },
  });
}

/** What of the account's fields is shown: to the browser that began, or, before one did, where the group has connected before. */
function assertMine({ config }: ManagementContext, session: StoredConnectSession, cookies: string | undefined): void {
  const standing = standingOf(config, session, cookies);
  if (standing !== 'free' && standing !== 'mine') throw turnedAway(standing);
}

/** The session as this browser may see it. To load it uses nothing up; where the browser began it, what was left undone is done now. */
async function showSession(
  context: ManagementContext,
  request: RouteRequest<object>,
  { session, project, token }: ShownSession,
): Promise<Reply> {
  const cookies = request.header('cookie');
  const standing = standingOf(context.config, session, cookies);
  if (standing === 'mine') {
    const now = await installSession(context, session, request.traceparent);
    return { body: await viewOf(context, project, now) };
  }
  if (standing === 'done') return { body: await viewOf(context, project, session) };
  if (standing !== 'free') return { body: viewOfOther(project, standing) };
  const hasCookie = connectCookieIn(context.config, session.id, cookies) !== undefined;
  return {
    body: await viewOf(context, project, session),
    cookies: hasCookie ? [] : [newConnectCookie(context.config, session, token)],
  };
}

/** The connection that connects again: that of the installation there is. */
async function known(context: ManagementContext, session: StoredConnectSession): Promise<Connection | undefined> {
  return (await installationOf(context, session))?.connection;
}

type Inputs = ConnectCredentials['inputs'];

/** @throws ValidationError 422 for what the provider does not ask for: a customer's browser stores nothing else; and for what it cannot do without */
function metadataOf(
  { connectors }: ManagementContext,
  provider: string,
  way: ConnectWay,
  inputs: Inputs = {},
): Pick<ConnectionRequest, 'providerWorkspaceRef' | 'providerMetadata'> {
  const connector = connectors.get(provider);
  const asked = new Set(connector.catalogue.metadata?.input?.map(({ name }) => name));
  const [unasked] = Object.keys(inputs).filter((name) => !asked.has(name));
  if (unasked !== undefined)
    throw contradiction({
      code: 'connect-session.invalid',
      name: pathOf('inputs', unasked.slice(0, 100)),
      detail: `is nothing that ${provider} asks for`,
    });
  const missing = [...asked].filter((name) => (inputs[name] ?? '') === '' && isInputNeeded(connector, name, way));
  refuseIssues(
    missing.map((name) => ({ in: 'body', name: pathOf('inputs', name), detail: 'is required' })),
    'connect-session.invalid',
  );
  const given = Object.entries(inputs).filter(([, value]) => value !== '');
  if (given.length === 0) return {};
  return withNamedWorkspace({
    providerMetadata: Object.fromEntries(given.map(([name, value]) => [name, { value, source: 'input' as const }])),
  });
}

/** @returns where the browser is to be sent */
async function authorize(
  context: ManagementContext,
  session: StoredConnectSession,
  cookieHash: string,
  inputs: Inputs,
): Promise<string> {
  const { projectId, id: connectSessionId, groupRef, groupName, consumerRef, consumerName } = session;
  const { provider } = await integrationOf(context, session);
  const connection = await known(context, session);
  const who = { projectId, provider, groupRef, groupName, consumerRef, consumerName };
  const place: ReturnType<typeof metadataOf> = connection ? {} : metadataOf(context, provider, 'page', inputs);
  const { providerWorkspaceRef: workspaceRef, providerMetadata } = place;
  const order = connection
    ? { ...reconnection(context, connection), groupName }
    : { ...who, workspaceRef, providerMetadata };
  const { url } = await beginAuthorization(context, { ...order, connectSessionId, cookieHash });
  return url;
}

/** Where another tab was first, the page says so: both show the session as it is. */
async function connectOnce(
  context: ManagementContext,
  session: StoredConnectSession,
  ...order: readonly [ConnectCredentials, string]
): Promise<void> {
  try {
    await connect(context, session, ...order);
  } catch (error) {
    if (error instanceof ConflictError) await noteFailure(context, session, error.detail);
    throw error;
  }
}

/** Gives typed credentials to the connection of the installation there is, else to the group's to that account, else to a new one. */
async function connect(
  context: ManagementContext,
  session: StoredConnectSession,
  { inputs, ...credentials }: ConnectCredentials,
  traceparent: string,
): Promise<void> {
  const { projectId, id: connectSessionId, groupRef, groupName, consumerRef, consumerName } = session;
  const { provider } = await integrationOf(context, session);
  const member = credentialMemberOf(credentials);
  if (member === undefined || member === 'customAuth' || member === 'oauth2AuthorizationCode')
    throw contradiction({
      code: 'connect-session.invalid',
      name: 'apiKey',
      detail: 'or other credentials are required',
    });
  const connection = await known(context, session);
  if (connection === undefined) {
    const request = {
      ...credentials,
      ...metadataOf(context, provider, member, inputs),
      provider,
      groupRef,
      groupName,
      consumerRef,
      consumerName,
    };
    await generateConnection(context, projectId, request, { traceparent, connectSessionId });
    return;
  }
  const body = { updateMask: [member], connection: credentials };
  const order = { caller: callerOf(session), body, traceparent, connectSessionId };
  await updateConnection(context, projectId, connection.id, order);
}

/** Installs with what was chosen, or changes the config of the installation there is. The session is used up by it. */
async function choose(
  context: ManagementContext,
  session: StoredConnectSession,
  choices: ConnectChoices,
  traceparent: string,
): Promise<StoredConnectSession> {
  const { projectId, integrationId } = session;
  const integration = await integrationOf(context, session);
  const installed = await installationOf(context, session);
  // Somebody took it back while the customer chose: what is deleted is not made again by a link that was used.
  if (session.installationId !== undefined && installed?.id !== session.installationId) throw turnedAway('used');
  const connectionId = installed?.connection.id ?? session.connectionId;
  // Or the group was connected by another link: then the choice is of fields of another account.
  const isOthers = [choices.connectionId, session.connectionId].some((id) => id !== undefined && id !== connectionId);
  if (isOthers) {
    await noteFailure(context, session, connectedMeanwhile);
    throw turnedAway('used');
  }
  if (connectionId === undefined) {
    const detail = 'cannot be taken before an account is connected';
    throw contradiction({ code: 'connect-session.invalid', name: 'content', detail });
  }
  const content = withChoices(installed?.config.content ?? { provider: integration.provider }, choices);
  refuseIssues(choiceIssues(integration, choices, content), 'connect-session.invalid');
  const connection = { id: connectionId };
  const stored = installed?.config.content;
  const check = { integration, connection, content, path: 'content', traceparent, ...(stored && { stored }) };
  refuseIssues((await fieldIssues(context, check)).issues, 'connect-session.invalid');
  const installation =
    installed === undefined
      ? await install(context, session, { integration, traceparent, content })
      : await changeInstallation(context, { projectId, integrationId, installationId: installed.id }, (current) => ({
          connectionId: current.connectionId,
          content: withChoices(current.content, choices),
          createdBy: `consumer:${session.consumerRef}`,
        }));
  // Of two links that install at once, one does.
  if (installed === undefined && installation.connection.id !== connectionId) throw turnedAway('used');
  return await noteInstalled(context, session, { installation, isUsed: true });
}
