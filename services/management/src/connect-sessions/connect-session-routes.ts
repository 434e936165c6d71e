import { json, type Router } from '@sluice/http';
import { newId } from '@sluice/store';
import {
  connectSessionLifeMs,
  connectSessionSchema,
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
import { contradiction, found } from '../refusals';
import { waysOf } from './describe-session';
import { connectPageUrl } from './session-access';

/** `POST P/connect-sessions`: a link to our page, on which a customer connects an account and installs an integration. */
export function connectSessionRoutes(router: Router, context: ManagementContext): void {
  routesOfProject(router, context, 'Connections').post('/connect-sessions', 'createConnectSession', {
    summary: 'Let a customer connect by our page',
    description:
      'A link for one customer, good for 30 minutes. The page connects an account, lets the customer choose fields, and installs the integration. Opening it uses nothing up; the first browser that submits keeps it.',
    replies: { 201: json(connectSessionSchema) },
    problems: ['integration.not-found', 'connect-session.invalid'],
    // Never a bearer token: whoever has one acts for one user already, and needs no link for another.
    scopes: ['write'],
    body: createConnectSessionRequestSchema,
    answer: ({ caller, body }, project) => createConnectSession(context, project, caller, body),
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
  await refuseUnconnectable(context, integration);
  const [id, token] = [newId(), newProjectSecret(projectId)];
  const session = { ...who, projectId, id, integrationId: integration.id, returnUrl, tokenHash: hashOf(token) };
  const expireTime = await store.connectSessions.save(session, connectSessionLifeMs);
  const { groupRef } = who;
  logger.info({ projectId, connectSessionId: id, groupRef, keyId: caller.keyId }, 'connect-session.created');
  return { url: connectPageUrl(config, token), token, expireTime };
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
async function refuseUnconnectable(context: ManagementContext, { projectId, provider }: Integration): Promise<void> {
  const ways = await waysOf(context, projectId, getConnector(context, provider, 'integration'));
  if (ways.length > 0) return;
  throw contradiction({
    code: 'connect-session.invalid',
    name: 'integration',
    detail: `is of ${provider}, whose accounts are connected by its own page, and the project has no provider app of ${provider}`,
    remedy: `Register the OAuth app of ${provider} with POST provider-apps.`,
  });
}
