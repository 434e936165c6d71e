import { RateLimitedError } from '@sluice/errors';
import { json, noBody, type Router } from '@sluice/http';
import { newId } from '@sluice/store';
import {
  connectSessionLifeMs,
  connectSessionSchema,
  connectSessionsMax,
  createConnectSessionRequestSchema,
  isLoopback,
  type Caller,
  type ConnectSession,
  type CreateConnectSessionRequest,
  type Integration,
  type Project,
} from '@sluice/types';
import { publicAddress } from '../config';
import { getConnector } from '../connections/get-connection';
import type { ManagementContext } from '../context';
import { hashOf, newProjectSecret } from '../one-time-secrets';
import { routesOfProject } from '../projects/get-project';
import { contradiction, found, notFound } from '../refusals';
import { waysOf } from './describe-session';
import { installationOf } from './install-session';
import { connectPageUrl } from './session-access';

/** `POST P/connect-sessions`: a link to our page, on which a customer connects an account and installs an integration. `DELETE` ends it. */
export function connectSessionRoutes(router: Router, context: ManagementContext): void {
  const { logger, store } = context;
  // Never a bearer token: whoever has one acts for one user already, and needs no link for another.
  const ofProject = routesOfProject(router, context, 'Connections', ['write']);
  ofProject.post('/connect-sessions', 'createConnectSession', {
    summary: 'Let a customer connect by our page',
    description:
      'A link for one customer, good for 30 minutes. The page connects an account, lets the customer choose fields, and installs the integration. Opening it uses nothing up; the first browser that submits keeps it. It ends with the API key that made it. A project has at most 1,000 open ones.',
    replies: { 201: json(connectSessionSchema) },
    problems: ['integration.not-found', 'connect-session.invalid', 'connect-session.limit-reached'],
    body: createConnectSessionRequestSchema,
    answer: ({ caller, body }, project) => createConnectSession(context, project, caller, body),
  });
  ofProject.delete('/connect-sessions/:connectSessionId', 'endConnectSession', {
    summary: 'End a link to the connect page',
    description:
      'Its page says that it has expired. What it has connected, and not installed, is deleted; what it has installed stays.',
    replies: { 204: noBody('The link is refused from now on.') },
    problems: ['connect-session.not-found'],
    answer: async ({ params: { connectSessionId: id } }, { id: projectId }) => {
      const key = { projectId, id };
      if (!(await store.connectSessions.end(key))) throw notFound('connect-session.not-found');
      await store.connectSessions.disconnect(key, 'The link was ended.');
      logger.info({ projectId, connectSessionId: id }, 'connect-session.ended');
    },
  });
}

async function createConnectSession(
  context: ManagementContext,
  project: Project,
  caller: Caller,
  { integration: named, returnUrl, ...who }: CreateConnectSessionRequest,
): Promise<ConnectSession> {
  const { config, logger, store } = context;
  const { id: projectId } = project;
  const integration = found(await store.integrations.find(projectId, named), 'integration.not-found', 'integration');
  if (returnUrl !== undefined) refuseForeignReturn(context, project, returnUrl);
  await refuseUnconnectable(context, integration, who);
  const [id, token] = [newId(), newProjectSecret(projectId)];
  const expireTime = await store.connectSessions.save({
    ...who,
    projectId,
    id,
    integrationId: integration.id,
    returnUrl,
    tokenHash: hashOf(token),
    keyId: caller.kind === 'api-key' ? caller.keyId : undefined,
    lifeMs: connectSessionLifeMs,
    max: connectSessionsMax,
  });
  if (expireTime === undefined) {
    const detail = `A project has at most ${connectSessionsMax} connect sessions that are open at once.`;
    throw new RateLimitedError({ code: 'connect-session.limit-reached', detail, retryAfterMs: 60_000 });
  }
  const { groupRef } = who;
  logger.info({ projectId, connectSessionId: id, groupRef, keyId: caller.keyId }, 'connect-session.created');
  return { id, url: connectPageUrl(config, token), token, expireTime };
}

/** The page hands over to nobody but the builder: an address of the query would make it lead anywhere. */
function refuseForeignReturn({ config }: ManagementContext, { connectOrigins = [] }: Project, returnUrl: string): void {
  const url = URL.parse(returnUrl);
  const isAddress = url !== null && url.username === '' && url.password === '';
  const isDevelopment = isLoopback(new URL(publicAddress(config)));
  const isOfDevelopment = isAddress && isDevelopment && isLoopback(url) && /^https?:$/.test(url.protocol);
  // An address of blob: has the origin of the one in it. What is listed is https, or http on loopback.
  const isListed = isAddress && url.protocol !== 'blob:' && connectOrigins.includes(url.origin);
  if (isOfDevelopment || isListed) return;
  const listed = connectOrigins.length === 0 ? 'it lists none' : `it lists ${connectOrigins.join(', ')}`;
  throw contradiction({
    code: 'connect-session.invalid',
    name: 'returnUrl',
    detail: `must be an address of an origin that the project lists in connectOrigins: ${listed}`,
    value: returnUrl.slice(0, 200),
    remedy: 'Add its origin to connectOrigins with PATCH of the project, or send an address of a listed one.',
  });
}

/** Here the builder learns of it, and not a customer before an empty page. */
async function refuseUnconnectable(
  context: ManagementContext,
  { projectId, id: integrationId, provider }: Integration,
  { groupRef }: Pick<CreateConnectSessionRequest, 'groupRef'>,
): Promise<void> {
  const installed = await installationOf(context, { projectId, integrationId, groupRef });
  const ways = await waysOf(context, projectId, getConnector(context, provider, 'integration'), installed?.connection);
  if (ways.length > 0) return;
  throw contradiction({
    code: 'connect-session.invalid',
    name: 'integration',
    detail: `is of ${provider}, whose accounts are connected by its own page, and the project has no provider app of ${provider}`,
    remedy: `Register the OAuth app of ${provider} with POST provider-apps.`,
  });
}
