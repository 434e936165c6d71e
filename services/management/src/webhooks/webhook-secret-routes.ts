import { json, route, type Router } from '@sluice/http';
import { webhookSecretSchema, type WebhookSecret } from '@sluice/types';
import { DependencyError } from '@sluice/errors';
import type { EndpointKey } from '@sluice/store';
import { newWebhookSecret } from '@sluice/webhooks';
import type { ManagementContext } from '../context';
import { getProject } from '../projects/get-project';
import { noQuery, webhookPath } from '../paths';
import { endpointNotFound } from './webhook-endpoints';

interface EndpointParts {
  readonly params: { projectIdOrName: string; endpointId: string };
}

/** `GET P/webhook-endpoints/{endpointId}/secret` and `POST P/webhook-endpoints/{endpointId}:rotate-secret`. */
export function webhookSecretRoutes(router: Router, context: ManagementContext): void {
  router.get(
    `${webhookPath}/secret`,
    route<EndpointParts>({
      operationId: 'getWebhookSecret',
      summary: 'Show the secret of a webhook endpoint',
      tags: ['Webhooks'],
      replies: { 200: json(webhookSecretSchema) },
      scopes: ['full'],
      query: noQuery,
      handle: async ({ caller, params: { projectIdOrName, endpointId } }) => {
        const { id: projectId } = await getProject(context, caller, projectIdOrName);
        return { body: await showSecret(context, { projectId, endpointId }) };
      },
    }),
  );
  router.post(
    `${webhookPath}\\:rotate-secret`,
    route<EndpointParts>({
      operationId: 'rotateWebhookSecret',
      summary: 'Make a new secret for a webhook endpoint',
      description: 'Messages of the next day carry a signature of the new secret and one of the secret until now.',
      tags: ['Webhooks'],
      replies: { 200: json(webhookSecretSchema) },
      scopes: ['full'],
      query: noQuery,
      handle: async ({ caller, params: { projectIdOrName, endpointId } }) => {
        const { id: projectId } = await getProject(context, caller, projectIdOrName);
        return { body: await rotateSecret(context, { projectId, endpointId }) };
      },
    }),
  );
}

/** How long the secret before a rotation signs too. A day: a receiver is deployed with the new one meanwhile. */
const previousMs = 24 * 3_600_000;
/** Rotations of one endpoint that overtake each other: more than two would be a loop. */
const triesMax = 5;

/** @throws NotFoundError `webhook-endpoint.not-found` */
async function showSecret(context: ManagementContext, key: EndpointKey): Promise<WebhookSecret> {
  const { store, installations } = context;
  const stored = await store.webhookEndpoints.findSecret(key);
  if (stored === undefined) throw endpointNotFound();
  const { current, previous } = installations.unsealWebhookSecrets(key.endpointId, stored.sealed);
  const { previousUntil } = stored;
  if (previous === undefined || previousUntil === undefined) return { secret: current };
  return { secret: current, previousSecret: previous, previousUntilTime: previousUntil.toISOString() };
}

/**
 * Makes a new secret; the one until now signs too for a day. The one before that signs no more.
 * @throws NotFoundError `webhook-endpoint.not-found`
 */
async function rotateSecret(context: ManagementContext, key: EndpointKey): Promise<WebhookSecret> {
  const { store, installations, logger } = context;
  const secret = newWebhookSecret();
  for (let tries = 0; tries < triesMax; tries += 1) {
    const stored = await store.webhookEndpoints.findSecret(key);
    if (stored === undefined) throw endpointNotFound();
    const { current } = installations.unsealWebhookSecrets(key.endpointId, stored.sealed);
    const sealed = installations.sealWebhookSecrets(key.endpointId, { current: secret, previous: current });
    // Undefined: another rotation, or another seal of the same secrets, came in between.
    const until = await store.webhookEndpoints.replaceSecret(key, stored.sealed, sealed, previousMs);
    if (until === undefined) continue;
    logger.info({ ...key }, 'webhook.secret-rotated');
    return { secret, previousSecret: current, previousUntilTime: until.toISOString() };
  }
  throw new DependencyError({
    code: 'service.unavailable',
    detail: 'The secret is being rotated by others.',
    retryAfterMs: 1_000,
  });
}
