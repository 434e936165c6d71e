import type { WebhookAttempt, WebhookEndpoint, WebhookFilter, WebhookMessage } from '@sluice/types';
import { CommandFailure, exitCodes } from '../failure';
import { type Column, counted, print, renderFields, renderTable, shortened, shortTime } from '../output/print';
import { connect, type GivenOptions } from '../profiles/connect';
import { momentOf, readLimit } from '../read-options';

interface CreateOptions extends GivenOptions {
  readonly event?: readonly WebhookFilter[];
  readonly description?: string;
}

interface MessagesOptions extends GivenOptions {
  readonly status?: WebhookMessage['status'];
  readonly message?: string;
  readonly limit: string;
}

interface ReplayOptions extends GivenOptions {
  readonly message?: string;
  readonly since?: string;
}

const columns: readonly Column<WebhookEndpoint>[] = [
  ['ADDRESS', ({ url }) => url],
  ['EVENTS', ({ eventTypes }) => eventTypes.join(', ')],
  ['STATUS', ({ status, disabledReason }) => (disabledReason === undefined ? status : `${status}: ${disabledReason}`)],
  ['FAILING SINCE', ({ failingSince }) => shortTime(failingSince)],
  ['ID', ({ id }) => id],
];

/** `sluice webhooks list`. */
export async function list(_args: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const endpoints = await management.listWebhookEndpoints();
  print(options, endpoints, () =>
    renderTable(endpoints, columns, 'No webhook endpoints. Make one: sluice webhooks create <url>'),
  );
}

/** `sluice webhooks describe <id>`. The secret is not asked for. */
export async function describe([endpointId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const endpoint = await management.getWebhookEndpoint({ endpointId });
  print(options, endpoint, () => renderEndpoint(endpoint));
}

function renderEndpoint({ id, url, description, eventTypes, status, ...more }: WebhookEndpoint): string {
  const { disabledReason, failingSince, createTime } = more;
  return renderFields([
    ['endpoint', id],
    ['address', url],
    ['description', description],
    ['events', eventTypes.join(', ')],
    ['status', disabledReason === undefined ? status : `${status}: ${disabledReason}`],
    ['failing since', failingSince === undefined ? undefined : shortTime(failingSince)],
    ['created', shortTime(createTime)],
  ]);
}

/** `sluice webhooks create <url>`. */
export async function create([url = '']: readonly string[], options: CreateOptions): Promise<void> {
  const { management } = await connect(options);
  const { event: eventTypes, description } = options;
  const body = { url, ...(eventTypes && { eventTypes }), ...(description !== undefined && { description }) };
  const made = await management.createWebhookEndpoint({ body });
  // The secret alone is what a script keeps.
  if (options.json !== true) {
    process.stderr.write(`The endpoint ${made.id} gets ${made.eventTypes.join(', ')}. Its receiver verifies with:\n`);
  }
  print(options, made, () => made.secret);
}

/** `sluice webhooks secret <id>`. */
export async function secret([endpointId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const found = await management.getWebhookSecret({ endpointId });
  print(options, found, () => found.secret);
}

/** `sluice webhooks rotate-secret <id>`. */
export async function rotateSecret([endpointId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const made = await management.rotateWebhookSecret({ endpointId });
  if (options.json !== true) {
    const until = made.previousUntilTime === undefined ? '' : ` until ${shortTime(made.previousUntilTime)}`;
    process.stderr.write(`The secret until now signs too${until}. The new one:\n`);
  }
  print(options, made, () => made.secret);
}

/** `sluice webhooks enable <id>`, after a receiver was mended. */
export async function enable([endpointId = '']: readonly string[], options: GivenOptions): Promise<void> {
  await setStatus(endpointId, 'enabled', options);
}

/** `sluice webhooks disable <id>`. */
export async function disable([endpointId = '']: readonly string[], options: GivenOptions): Promise<void> {
  await setStatus(endpointId, 'disabled', options);
}

async function setStatus(endpointId: string, status: WebhookEndpoint['status'], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const body = { updateMask: ['status'], webhookEndpoint: { status } } as const;
  const endpoint = await management.updateWebhookEndpoint({ endpointId, body });
  print(options, endpoint, () => `The endpoint ${endpoint.id} (${endpoint.url}) is ${endpoint.status}.`);
}

/** `sluice webhooks delete <id>`. */
export async function remove([endpointId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  await management.deleteWebhookEndpoint({ endpointId });
  print(options, { id: endpointId, deleted: true }, () => `The endpoint ${endpointId} is deleted.`);
}

/** `sluice webhooks test <id>`. */
export async function test([endpointId = '']: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const message = await management.testWebhookEndpoint({ endpointId });
  const follow = `sluice webhooks messages ${endpointId} --message ${message.id}`;
  print(options, message, () => `The message ${message.id} is on its way. What became of it: ${follow}`);
}

const messageColumns: readonly Column<WebhookMessage>[] = [
  ['CREATED', ({ createTime }) => shortTime(createTime)],
  ['EVENT', ({ notificationType }) => notificationType],
  ['STATUS', ({ status }) => status],
  ['ATTEMPTS', ({ attempts }) => String(attempts)],
  ['NEXT ATTEMPT', ({ nextAttemptTime }) => shortTime(nextAttemptTime)],
  ['MESSAGE', ({ id }) => id],
];

const attemptColumns: readonly Column<WebhookAttempt>[] = [
  ['ATTEMPT', ({ number }) => String(number)],
  ['STARTED', ({ startTime }) => shortTime(startTime)],
  ['OUTCOME', ({ class: outcome }) => outcome ?? 'under way'],
  ['STATUS', ({ responseStatus }) => (responseStatus === undefined ? '-' : String(responseStatus))],
  ['TOOK', ({ durationMs }) => (durationMs === undefined ? '-' : `${durationMs} ms`)],
  ['ANSWER', ({ response }) => shortened(response ?? '-')],
];

/** `sluice webhooks messages <id>`: the messages of an endpoint, or with `--message` the attempts of one. */
export async function messages([endpointId = '']: readonly string[], options: MessagesOptions): Promise<void> {
  const { status, message: messageId } = options;
  const { management } = await connect(options);
  if (messageId !== undefined) {
    const attempts = await management.listWebhookAttempts({ endpointId, messageId });
    print(options, attempts, () => renderTable(attempts, attemptColumns, 'No attempt yet.'));
    return;
  }
  const filter = { pageSize: Math.min(1000, readLimit(options.limit)), ...(status !== undefined && { status }) };
  const { results } = await management.listWebhookMessages({ endpointId, ...filter });
  print(options, results, () => renderTable(results, messageColumns, 'No messages.'));
}

/** `sluice webhooks replay <id>`: one message, or all that failed. */
export async function replay([endpointId = '']: readonly string[], options: ReplayOptions): Promise<void> {
  const { message: messageId, since } = options;
  const { management } = await connect(options);
  if (messageId !== undefined) {
    const message = await management.replayWebhookMessage({ endpointId, messageId });
    print(options, message, () => `The message ${message.id} is sent again.`);
    return;
  }
  if (since === undefined) {
    throw new CommandFailure(
      'Add --message with one message, or --since with a moment: all that failed since.',
      exitCodes.usage,
    );
  }
  const from = { since: momentOf(since) };
  let replayed = 0;
  for (let isComplete = false; !isComplete;) {
    const reply = await management.replayFailedWebhookMessages({ endpointId, ...from });
    replayed += reply.replayed;
    isComplete = reply.isComplete;
  }
  print(options, { replayed, isComplete: true }, () => `${counted(replayed, 'failed message')} sent again.`);
}
