import { ConflictError, DependencyError, ValidationError } from '@sluice/errors';
import { json, jsonList, noBody, queryOf, type Router } from '@sluice/http';
import type { WebhookSecrets } from '@sluice/installations';
import type { EndpointKey, WebhookEndpointChange } from '@sluice/store';
import {
  createdWebhookEndpointSchema,
  createWebhookEndpointRequestSchema,
  pageProperties,
  slackFilters,
  updateWebhookEndpointRequestSchema,
  webhookAttemptSchema,
  webhookEndpointSchema,
  webhookEndpointsMax,
  webhookFiltersDefault,
  webhookMessageListReplySchema,
  webhookMessageSchema,
  webhookMessageStates,
  webhookMessageWithPayloadSchema,
  webhookReplayReplySchema,
  webhookSecretSchema,
  type CreatedWebhookEndpoint,
  type CreateWebhookEndpointRequest,
  type WebhookEndpoint,
  type WebhookFilter,
  type WebhookSecret,
} from '@sluice/types';
import { newWebhookSecret } from '@sluice/webhooks';
import type { ManagementContext } from '../context';
import { byId, linkToNext, readPage, wholeList } from '../pages';
import { routesOfProject } from '../projects/get-project';
import { found, maskedValues, notFound, readMoment } from '../refusals';

const moment = { type: 'string', format: 'date-time' } as const;

export function webhookEndpointRoutes(router: Router, context: ManagementContext): void {
  const { logger, store } = context;
  const ofProject = routesOfProject(router, context, 'Webhooks');
  ofProject.get('/webhook-endpoints', 'listWebhookEndpoints', {
    summary: 'List webhook endpoints',
    replies: { 200: jsonList(webhookEndpointSchema, linkToNext) },
    scopes: ['read'],
    query: queryOf(pageProperties),
    handle: (request, { id }) => wholeList(request, (page) => store.webhookEndpoints.listPage(id, page)),
  });
  ofProject.post('/webhook-endpoints', 'createWebhookEndpoint', {
    summary: 'Create a webhook endpoint',
    description: 'The reply holds the secret that its messages are signed with.',
    replies: { 201: json(createdWebhookEndpointSchema) },
    problems: ['webhook-endpoint.too-many'],
    scopes: ['full'],
    body: createWebhookEndpointRequestSchema,
    answer: ({ body }, { id }) => createEndpoint(context, id, body),
  });
  const ofEndpoint = ofProject.under('/webhook-endpoints/:endpointId', { scopes: ['full'], find: keyOf });
  ofEndpoint.get('', 'getWebhookEndpoint', {
    summary: 'Get a webhook endpoint',
    replies: { 200: json(webhookEndpointSchema) },
    scopes: ['read'],
    answer: (_request, key) => getEndpoint(context, key),
  });
  ofEndpoint.patch('', 'updateWebhookEndpoint', {
    summary: 'Change a webhook endpoint',
    description:
      'Disabling ends the delivery of pending messages; enabling clears past failures. Events of the time in between are not kept for it.',
    replies: { 200: json(webhookEndpointSchema) },
    body: updateWebhookEndpointRequestSchema,
    answer: async ({ body: { updateMask, webhookEndpoint } }, key) => {
      const endpoint = await changeEndpoint(context, key, maskedValues(updateMask, webhookEndpoint, 'webhookEndpoint'));
      logger.info({ ...key, status: endpoint.status }, 'webhook-endpoint.updated');
      return endpoint;
    },
  });
  ofEndpoint.delete('', 'deleteWebhookEndpoint', {
    summary: 'Delete a webhook endpoint',
    replies: { 204: noBody('The endpoint is deleted, with its messages.') },
    answer: async (_request, key) => {
      if (!(await store.webhookEndpoints.remove(key))) throw notFound('webhook-endpoint.not-found');
      logger.info(key, 'webhook-endpoint.deleted');
    },
  });
  ofEndpoint.get('/secret', 'getWebhookSecret', {
    summary: 'Show the secret of a webhook endpoint',
    replies: { 200: json(webhookSecretSchema) },
    answer: (_request, key) => showSecret(context, key),
  });
  ofEndpoint.post('\\:rotate-secret', 'rotateWebhookSecret', {
    summary: 'Make a new secret for a webhook endpoint',
    description: 'Messages of the next day carry a signature of the new secret and one of the secret until now.',
    replies: { 200: json(webhookSecretSchema) },
    answer: (_request, key) => rotateSecret(context, key),
  });
}

const keyOf = ({ params }: { params: { endpointId: string } }, { id }: { id: string }): EndpointKey => ({
  projectId: id,
  endpointId: params.endpointId,
});

/** Below an endpoint: `GET /messages`, newest first and always paged; `GET /messages/{messageId}` and its `/attempts`. */
export function webhookMessageRoutes(router: Router, context: ManagementContext): void {
  const { webhookMessages } = context.store;
  const ofEndpoint = routesOfProject(router, context, 'Webhooks').under('/webhook-endpoints/:endpointId', {
    scopes: ['read'],
    find: async (request, project) => {
      const { projectId, id: endpointId } = await getEndpoint(context, keyOf(request, project));
      return { projectId, endpointId };
    },
  });
  ofEndpoint.get('/messages', 'listWebhookMessages', {
    summary: 'List the messages of a webhook endpoint',
    replies: { 200: json(webhookMessageListReplySchema) },
    query: queryOf({ status: { type: 'string', enum: webhookMessageStates }, ...pageProperties }),
    answer: ({ query }, key) =>
      readPage(query, byId, (beforeId, limit) => webhookMessages.list(key, { state: query.status, limit, beforeId })),
  });
  const ofMessage = ofEndpoint.under('/messages/:messageId', {
    find: async ({ params: { messageId } }, endpointKey) => {
      const key = { ...endpointKey, messageId };
      return { key, message: found(await webhookMessages.find(key), 'webhook-message.not-found') };
    },
  });
  ofMessage.get('', 'getWebhookMessage', {
    summary: 'Get a message with its payload',
    replies: { 200: json(webhookMessageWithPayloadSchema) },
    handle: (_request, { message: body }) => ({ body }),
  });
  ofMessage.get('/attempts', 'listWebhookAttempts', {
    summary: 'List the attempts to deliver a message',
    description: 'The last 100, oldest first: a message may be replayed any number of times.',
    replies: { 200: jsonList(webhookAttemptSchema) },
    answer: (_request, { key }) => webhookMessages.listAttempts(key),
  });
}

/** Of an endpoint that is enabled: `POST …:test`, `…:replay?since=` and `…/messages/{messageId}:replay`. None reads a body. */
export function webhookReplayRoutes(router: Router, context: ManagementContext): void {
  const { webhookMessages } = context.store;
  const ofEnabled = routesOfProject(router, context, 'Webhooks').under('/webhook-endpoints/:endpointId', {
    problems: ['webhook-endpoint.disabled'],
    scopes: ['full'],
    find: async (request, project) => {
      const { projectId, id: endpointId, status } = await getEndpoint(context, keyOf(request, project));
      if (status === 'enabled') return { projectId, endpointId };
      throw new ConflictError({ code: 'webhook-endpoint.disabled', detail: 'endpointId: the endpoint is disabled.' });
    },
  });
  ofEnabled.post('\\:test', 'testWebhookEndpoint', {
    summary: 'Send a test message',
    description:
      "Its type is endpoint.test, whatever types the endpoint asks for. Its attempts hold the receiver's answers.",
    replies: { 202: json(webhookMessageSchema) },
    answer: async (_request, key) => found(await webhookMessages.sendTest(key), 'webhook-endpoint.not-found'),
  });
  ofEnabled.post('\\:replay', 'replayFailedWebhookMessages', {
    summary: 'Send the failed messages since a moment again',
    description:
      'Oldest first, at most 100,000. isComplete says whether these were all. The same request continues with the rest, also after one that was cut off.',
    replies: { 202: json(webhookReplayReplySchema) },
    query: queryOf({ since: moment }, 'since'),
    answer: async ({ query: { since } }, key) => {
      const replayed = await webhookMessages.replayFailed(key, readMoment('since', since));
      return found(replayed, 'webhook-endpoint.not-found');
    },
  });
  ofEnabled.post('/messages/:messageId\\:replay', 'replayWebhookMessage', {
    summary: 'Send a message again',
    description: 'Whether it was delivered or not, with the same svix-id and all its tries.',
    replies: { 202: json(webhookMessageSchema) },
    answer: async ({ params: { messageId } }, key) =>
      found(await webhookMessages.replay({ ...key, messageId }), 'webhook-message.not-found'),
  });
}

/** @throws NotFoundError `webhook-endpoint.not-found` */
async function getEndpoint({ store }: ManagementContext, key: EndpointKey): Promise<WebhookEndpoint> {
  return found(await store.webhookEndpoints.find(key), 'webhook-endpoint.not-found');
}

/**
 * Makes an endpoint with a secret, which stands in this result and in `showSecret`.
 * @throws ValidationError 400 for a URL that messages cannot go to
 * @throws ConflictError `webhook-endpoint.too-many`
 */
async function createEndpoint(
  context: ManagementContext,
  projectId: string,
  request: CreateWebhookEndpointRequest,
): Promise<CreatedWebhookEndpoint> {
  const { store, installations, logger } = context;
  const { kind = 'webhook', url } = request;
  const isSlack = kind === 'slack';
  checkUrl(context, 'url', url);
  if (isSlack) checkSlackTypes('eventTypes', request.eventTypes);
  const secret = newWebhookSecret();
  const endpoint = await store.webhookEndpoints.create({
    projectId,
    ...request,
    ...(isSlack && { url: cutUrl(url) }),
    eventTypes: request.eventTypes ?? (isSlack ? slackFilters : webhookFiltersDefault),
    max: webhookEndpointsMax,
    seal: (id) => installations.seal({ noun: 'webhook endpoint', id }, { current: secret, ...(isSlack && { url }) }),
  });
  if (endpoint === undefined) {
    const detail = `A project has at most ${webhookEndpointsMax} webhook endpoints.`;
    throw new ConflictError({ code: 'webhook-endpoint.too-many', detail });
  }
  logger.info({ projectId, endpointId: endpoint.id }, 'webhook-endpoint.created');
  return { ...endpoint, secret };
}

/** Without the value: a URL may hold a token of its receiver. */
function checkUrl({ webhookSender }: ManagementContext, name: string, url: string): void {
  const refusal = webhookSender.refusal(url);
  if (refusal === undefined) return;
  const { detail, remedy } = refusal;
  const issues = [{ in: 'body' as const, name, detail }];
  throw new ValidationError({ code: 'request.invalid', detail: `${name} ${detail}.`, issues, remedy });
}

/** What of an address of kind `slack` is shown: its path is what lets one post there. */
function cutUrl(url: string): string {
  return `${new URL(url).origin}/…`;
}

/** @throws ValidationError 400 for what is no text for people */
function checkSlackTypes(name: string, types: readonly WebhookFilter[] = []): void {
  if (types.every((type) => slackFilters.includes(type))) return;
  const detail = `of kind slack may hold ${slackFilters.join(' and ')}`;
  const issues = [{ in: 'body' as const, name, detail, value: types }];
  throw new ValidationError({ code: 'request.invalid', detail: `${name} ${detail}.`, issues });
}

/**
 * @throws NotFoundError `webhook-endpoint.not-found`
 * @throws ValidationError 400 for a URL that messages cannot go to, and types that are not of its kind
 */
async function changeEndpoint(
  context: ManagementContext,
  key: EndpointKey,
  change: WebhookEndpointChange,
): Promise<WebhookEndpoint> {
  const { store } = context;
  const { url, eventTypes } = change;
  if (url !== undefined) checkUrl(context, 'webhookEndpoint.url', url);
  const { kind } = await getEndpoint(context, key);
  if (kind === 'slack') checkSlackTypes('webhookEndpoint.eventTypes', eventTypes);
  if (kind === 'slack' && url !== undefined) await replaceSecrets(context, key, (secrets) => ({ ...secrets, url }));
  const shown = kind === 'slack' && url !== undefined ? { ...change, url: cutUrl(url) } : change;
  return found(await store.webhookEndpoints.update(key, shown), 'webhook-endpoint.not-found');
}

/** How long the previous secret signs as well after a rotation: a day, in which the receiver is deployed with the new one. */
const previousMs = 24 * 3_600_000;
/** Changes of one endpoint's secrets that overtake each other: more than two would be a loop. */
const triesMax = 5;

/** @throws NotFoundError `webhook-endpoint.not-found` */
async function showSecret({ store, installations }: ManagementContext, key: EndpointKey): Promise<WebhookSecret> {
  const stored = found(await store.webhookEndpoints.findSecret(key), 'webhook-endpoint.not-found');
  const { current, previous } = installations.unseal({ noun: 'webhook endpoint', id: key.endpointId }, stored.sealed);
  const { previousUntil } = stored;
  if (previous === undefined || previousUntil === undefined) return { secret: current };
  return { secret: current, previousSecret: previous, previousUntilTime: previousUntil.toISOString() };
}

/**
 * Makes a new secret; the one until now signs too for a day. The one before that signs no more.
 * @throws NotFoundError `webhook-endpoint.not-found`
 */
async function rotateSecret(context: ManagementContext, key: EndpointKey): Promise<WebhookSecret> {
  const secret = newWebhookSecret();
  const rotated = await replaceSecrets(
    context,
    key,
    (secrets) => ({ ...secrets, current: secret, previous: secrets.current }),
    previousMs,
  );
  context.logger.info({ ...key }, 'webhook.secret-rotated');
  const { before, until } = rotated;
  return { secret, previousSecret: before.current, ...(until && { previousUntilTime: until.toISOString() }) };
}

/**
 * Replaces what is sealed by what is made of it. What another caller stored in between is read again, so nothing is lost.
 * @param signsMs how long the previous secret signs from now. @default as long as before
 * @throws NotFoundError `webhook-endpoint.not-found`
 */
async function replaceSecrets(
  { store, installations }: ManagementContext,
  key: EndpointKey,
  change: (secrets: WebhookSecrets) => WebhookSecrets,
  signsMs?: number,
): Promise<{ readonly before: WebhookSecrets; readonly until: Date | null }> {
  const owner = { noun: 'webhook endpoint', id: key.endpointId } as const;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const stored = found(await store.webhookEndpoints.findSecret(key), 'webhook-endpoint.not-found');
    const before = installations.unseal(owner, stored.sealed);
    const sealed = installations.seal(owner, change(before));
    const replaced = await store.webhookEndpoints.replaceSecret(key, stored.sealed, sealed, signsMs);
    if (replaced !== undefined) return { before, until: replaced.until };
  }
  const detail = 'The secret is being changed by others.';
  throw new DependencyError({ code: 'service.unavailable', detail, retryAfterMs: 1_000 });
}
