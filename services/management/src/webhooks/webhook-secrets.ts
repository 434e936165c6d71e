import { DependencyError } from '@sluice/errors';
import type { EndpointKey } from '@sluice/store';
import type { WebhookSecret } from '@sluice/types';
import type { ManagementContext } from '../context';
import { newWebhookSecret } from './sign-message';
import { endpointNotFound } from './webhook-endpoints';

/** How long the secret before a rotation signs too. A day: a receiver is deployed with the new one meanwhile. */
const previousMs = 24 * 3_600_000;
/** Rotations of one endpoint that overtake each other: more than two would be a loop. */
const triesMax = 5;

/** @throws NotFoundError `webhook-endpoint.not-found` */
export async function showSecret(context: ManagementContext, key: EndpointKey): Promise<WebhookSecret> {
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
export async function rotateSecret(context: ManagementContext, key: EndpointKey): Promise<WebhookSecret> {
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
