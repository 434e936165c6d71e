import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptEnd, ClaimedMessage, DueEndpoint, EndpointKey, MessageClaim } from '@sluice/store';
import { holdMsMax, pauseBeforeRetryMs, signatureHeaders, slackBody, type WebhookOutcome } from '@sluice/webhooks';
import type { WebhookAttemptClass, WebhookEvent } from '@sluice/types';
import { publicAddress } from '../config';
import type { ManagementContext } from '../context';

/** How late a message is noticed at most when nothing else is going on. */
const pollMs = 1_000;
/** Messages of one endpoint in flight at once: a slow one takes no more slots than that. Our choice. */
const perEndpointMax = 4;
/** Share of the slots for endpoints whose last attempt failed: those that hang do not delay those that answer. */
const failingShare = 0.5;
/** How long a stopping process waits for answers. What it does not wait for is sent again by another one. */
const stopWaitMs = 5_000;
/** Above the longest delivery, for the statements around it. */
const leaseSlackMs = 5_000;

/** A receiver answers with this status to get no more messages. Source: Standard Webhooks 1.0.0, "Delivery success and failure". */
const gone = 410;

/** The outcome of an attempt; for one that was not made, the reason. */
type Outcome = Omit<WebhookOutcome, 'class'> & { readonly class: WebhookAttemptClass };

/**
 * Delivers messages from the database, at least once. A message is marked after its receiver has answered, and a message that stays unmarked is
 * claimed again when its lease is over. Any number of processes may do so. Endpoints are served in turn, each with few messages at once.
 * @returns ends it: nothing more is claimed, and what is on its way has a few seconds
 */
export function deliverMessages(context: ManagementContext): () => Promise<void> {
  const { config, logger, store, webhookSender } = context;
  const concurrency = config.webhookConcurrency;
  const count = counters(context);
  const leaseMs = 2 * config.webhookTimeoutMs + leaseSlackMs;
  const underWay = new Map<Promise<void>, ClaimedMessage>();
  let after: EndpointKey | undefined;
  let isStopped = false;
  let isAsked = false;
  let running: Promise<void> | undefined;

  const deliver = async (claimed: ClaimedMessage): Promise<void> => {
    const outcome = await send(context, claimed);
    // Cut off by our own stop: it says nothing of the receiver, and the lease gives the message to another process.
    if (isStopped && outcome.status === undefined && outcome.class !== 'not-signed') return;
    await settle(context, count, claimed, outcome);
  };
  const start = (claimed: ClaimedMessage): void => {
    const delivery = deliver(claimed)
      .catch((error: unknown) => logger.warn({ error, messageId: claimed.messageId }, 'webhook.not-settled'))
      .finally(() => {
        underWay.delete(delivery);
        poll();
      });
    underWay.set(delivery, claimed);
  };
  /** One turn: a share of the free places for each endpoint that has something to send. @returns whether another may find more */
  const turn = async (): Promise<boolean> => {
    const free = concurrency - underWay.size;
    if (isStopped || free <= 0) return false;
    const failing = [...underWay.values()].filter(({ isFailing }) => isFailing).length;
    const failingLimit = Math.max(0, Math.floor(concurrency * failingShare) - failing);
    const due = await store.webhookMessages.findDue({ limit: free, failingLimit, inFlightMax: perEndpointMax, after });
    if (due.length === 0) return false;
    after = due.at(-1);
    let found = 0;
    for (const claim of claimsOf(due, free)) {
      const claimed = await store.webhookMessages.claim({ ...claim, leaseMs });
      claimed.forEach(start);
      found += claimed.length;
    }
    return found > 0;
  };
  const turns = async (): Promise<void> => {
    do isAsked = false;
    while ((await turn()) || isAsked);
  };
  const poll = (): void => {
    isAsked = running !== undefined;
    running ??= turns()
      .catch((error: unknown) => logger.warn({ error }, 'webhook.claim-failed'))
      .finally(() => (running = undefined));
  };
  const timer = setInterval(poll, pollMs);
  poll();
  return async () => {
    isStopped = true;
    clearInterval(timer);
    await running;
    await Promise.race([Promise.all(underWay.keys()), delay(stopWaitMs, undefined, { ref: false })]);
    await webhookSender.close();
    await Promise.all(underWay.keys());
  };
}

/** A share of the free slots for each endpoint; a failing one has one slot. */
function claimsOf(due: readonly DueEndpoint[], free: number): Omit<MessageClaim, 'leaseMs'>[] {
  const share = Math.min(perEndpointMax, Math.max(1, Math.floor(free / due.length)));
  const [failing, others] = [due.filter(({ isFailing }) => isFailing), due.filter(({ isFailing }) => !isFailing)];
  const claims = [
    { endpoints: others, perEndpoint: share, inFlightMax: perEndpointMax },
    { endpoints: failing, perEndpoint: 1, inFlightMax: 1 },
  ];
  return claims.filter(({ endpoints }) => endpoints.length > 0);
}

/** Without a secret nothing is sent, and it is tried again as after any failure: the key may come back to the ring. */
function openSecrets({ installations, logger }: ManagementContext, claimed: ClaimedMessage) {
  const { projectId, endpointId, sealed, hasPrevious } = claimed;
  try {
    const { current, previous, url } = installations.unseal({ noun: 'webhook endpoint', id: endpointId }, sealed);
    return { keys: hasPrevious && previous !== undefined ? [current, previous] : [current], url };
  } catch (error) {
    logger.error({ error, projectId, endpointId }, 'webhook.secret-unreadable');
    return undefined;
  }
}

async function send(context: ManagementContext, claimed: ClaimedMessage): Promise<Outcome> {
  const { messageId: id, kind, payload } = claimed;
  const secrets = openSecrets(context, claimed);
  if (secrets === undefined) return { class: 'not-signed', durationMs: 0 };
  const consoleUrl = `${publicAddress(context.config)}/console/`;
  const body = kind === 'slack' ? slackBody(JSON.parse(payload) as WebhookEvent, consoleUrl) : payload;
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'sluice-webhooks',
    ...signatureHeaders({ id, body }, secrets.keys, new Date()),
  };
  return await context.webhookSender.send({ url: secrets.url ?? claimed.url, headers, body });
}

/** Made before anything is counted, so that a scrape shows them from the start. */
function counters({ metrics }: ManagementContext) {
  return {
    attempts: metrics.counter('sluice_webhook_attempts_total'),
    messages: metrics.counter('sluice_webhook_messages_total'),
    disabled: metrics.counter('sluice_webhook_endpoints_disabled_total'),
  };
}

async function settle(
  { logger, store }: ManagementContext,
  count: ReturnType<typeof counters>,
  claimed: ClaimedMessage,
  outcome: Outcome,
): Promise<void> {
  const { projectId, endpointId, messageId, attempt } = claimed;
  const isDelivered = outcome.class === 'delivered';
  count.attempts.labels({ class: outcome.class }).inc();
  const settled = await store.webhookMessages.settle(claimed, isDelivered ? outcome : failureOf(claimed, outcome));
  if (settled.ended) count.messages.labels({ outcome: settled.ended }).inc();
  const named = { projectId, endpointId, messageId, attempt, class: outcome.class, status: outcome.status };
  if (isDelivered) logger.debug(named, 'webhook.delivered');
  else logger.info(named, 'webhook.not-delivered');
  if (settled.disabled === undefined) return;
  count.disabled.labels({ reason: settled.disabled }).inc();
  logger.warn({ projectId, endpointId, reason: settled.disabled }, 'webhook.endpoint-disabled');
}

/** The effect of a failure on the message and its endpoint. */
function failureOf({ tries }: ClaimedMessage, { retryAfterMs, ...outcome }: Outcome): AttemptEnd {
  const holdMs = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, holdMsMax);
  const pauseMs = pauseBeforeRetryMs(tries, Math.random(), holdMs);
  return { ...outcome, pauseMs, holdMs, isGone: outcome.status === gone, isOurs: outcome.class === 'not-signed' };
}
