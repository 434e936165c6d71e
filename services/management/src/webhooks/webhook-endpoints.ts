import { ConflictError, NotFoundError } from '@sluice/errors';
import type { EndpointKey } from '@sluice/store';
import {
  webhookEndpointsMax,
  webhookFiltersDefault,
  type CreatedWebhookEndpoint,
  type CreateWebhookEndpointRequest,
  type UpdateWebhookEndpointRequest,
  type WebhookEndpoint,
} from '@sluice/types';
import { newWebhookSecret } from '@sluice/webhooks';
import type { ManagementContext } from '../context';
import { maskedValues } from '../masked-values';
import { refuseIssues } from '../refuse-issues';

/** The same for another project's endpoint. */
export function endpointNotFound(): NotFoundError {
  const detail = 'endpointId: there is no such webhook endpoint in this project.';
  return new NotFoundError({ code: 'webhook-endpoint.not-found', detail });
}

export function messageNotFound(): NotFoundError {
  const detail = 'messageId: there is no such message of this webhook endpoint.';
  return new NotFoundError({ code: 'webhook-message.not-found', detail });
}

/** @throws NotFoundError `webhook-endpoint.not-found` */
export async function getEndpoint({ store }: ManagementContext, key: EndpointKey): Promise<WebhookEndpoint> {
  const endpoint = await store.webhookEndpoints.find(key);
  if (endpoint === undefined) throw endpointNotFound();
  return endpoint;
}

/** What nothing is sent to takes no message. @throws NotFoundError, ConflictError `webhook-endpoint.disabled` */
export async function getEnabledEndpoint(context: ManagementContext, key: EndpointKey): Promise<WebhookEndpoint> {
  const endpoint = await getEndpoint(context, key);
  if (endpoint.status === 'enabled') return endpoint;
  throw new ConflictError({ code: 'webhook-endpoint.disabled', detail: 'endpointId: the endpoint is disabled.' });
}

/**
 * Makes an endpoint with a secret, which stands in this result and in `showSecret`.
 * @throws ValidationError 400 for a URL that messages cannot go to
 * @throws ConflictError `webhook-endpoint.too-many`
 */
export async function createEndpoint(
  context: ManagementContext,
  projectId: string,
  request: CreateWebhookEndpointRequest,
): Promise<CreatedWebhookEndpoint> {
  const { store, installations, logger } = context;
  checkUrl(context, 'url', request.url);
  const secret = newWebhookSecret();
  const endpoint = await store.webhookEndpoints.create({
    projectId,
    ...request,
    eventTypes: request.eventTypes ?? webhookFiltersDefault,
    max: webhookEndpointsMax,
    seal: (endpointId) => installations.sealWebhookSecrets(endpointId, { current: secret }),
  });
  if (endpoint === undefined) {
    const detail = `A project has at most ${webhookEndpointsMax} webhook endpoints.`;
    throw new ConflictError({ code: 'webhook-endpoint.too-many', detail });
  }
  logger.info({ projectId, endpointId: endpoint.id }, 'webhook-endpoint.created');
  return { ...endpoint, secret };
}

/** Changes what the mask names. @throws NotFoundError `webhook-endpoint.not-found` */
export async function updateEndpoint(
  context: ManagementContext,
  key: EndpointKey,
  { updateMask, webhookEndpoint }: UpdateWebhookEndpointRequest,
): Promise<WebhookEndpoint> {
  const change = maskedValues(updateMask, webhookEndpoint, 'webhookEndpoint');
  if (change.url !== undefined) checkUrl(context, 'webhookEndpoint.url', change.url);
  const endpoint = await context.store.webhookEndpoints.update(key, change);
  if (endpoint === undefined) throw endpointNotFound();
  context.logger.info({ ...key, status: endpoint.status }, 'webhook-endpoint.updated');
  return endpoint;
}

/** Without the value: a URL may hold a token of its receiver. */
function checkUrl({ webhookSender }: ManagementContext, name: string, url: string): void {
  const detail = webhookSender.refusal(url);
  if (detail !== undefined) refuseIssues([{ in: 'body', name, detail }]);
}
