import type { WebhookAttempt, WebhookEndpoint, WebhookFilter, WebhookKind, WebhookMessage } from '@sluice/types';
import { argument, asking, option, since, type Command, type Group } from '../command';
import { CommandFailure, exitCodes } from '../failure';
import { beside, type Column, pluralize, fields, shortened, shortTime, table } from '../output/print';
import { given, momentOf, readLimit } from '../read-options';

interface CreateOptions {
  readonly event?: readonly WebhookFilter[];
  readonly description?: string;
  readonly kind?: WebhookKind;
}

interface MessagesOptions {
  readonly status?: WebhookMessage['status'];
  readonly message?: string;
  readonly limit: string;
}

interface ReplayOptions {
  readonly message?: string;
  readonly since?: string;
}

const endpoint = argument('<id>', 'id of the endpoint');
const filters = ['write.async.done', 'connection.*', 'installation.*', 'endpoint.disabled'].join(', ');

const deliveries: readonly Column<WebhookEndpoint>[] = [
  ['address', 'url'],
  'kind',
  ['events', 'eventTypes'],
  ['status', ({ status, disabledReason }) => (disabledReason === undefined ? status : `${status}: ${disabledReason}`)],
  'failingSince',
];

const renderMessages = table<WebhookMessage>('No messages.', [
  'createTime',
  ['event', 'notificationType'],
  'status',
  'attempts',
  ['next attempt', 'nextAttemptTime'],
  ['message', 'id'],
]);

const renderAttempts = table<WebhookAttempt>('No attempt yet.', [
  ['attempt', 'number'],
  ['started', 'startTime'],
  ['outcome', ({ class: outcome }) => outcome ?? 'under way'],
  ['status', ({ responseStatus }) => responseStatus?.toString()],
  ['took', ({ durationMs }) => (durationMs === undefined ? undefined : `${durationMs} ms`)],
  ['answer', ({ response }) => response && shortened(response)],
]);

/** `sluice webhooks`. */
export const webhooks: Group = {
  about: 'manage webhook endpoints, and see what became of messages',
  commands: {
    list: asking({
      about: 'list the endpoints',
      ask: ({ management }) => management.listWebhookEndpoints(),
      show: table<WebhookEndpoint>('No webhook endpoints. Make one: sluice webhooks create <url>', [
        ...deliveries,
        'id',
      ]),
    }),
    describe: asking({
      about: 'show one endpoint',
      takes: [endpoint],
      // The secret is not asked for.
      ask: ({ management }, _options, endpointId) => management.getWebhookEndpoint({ endpointId }),
      show: fields<WebhookEndpoint>([['endpoint', 'id'], 'description', ...deliveries, 'createTime']),
    }),
    create: asking({
      about: 'add an endpoint; prints the secret that its receiver verifies with',
      takes: [
        argument('<url>', 'where messages go: https://app.example.com/sluice'),
        option('--event <types...>', `only these: ${filters}, or one of a kind: connection.error`),
        option('--description <text>', 'what it is for'),
        option('--kind <kind>', 'slack: an incoming webhook of Slack, which gets alerts as text').choices([
          'webhook',
          'slack',
        ]),
      ],
      ask: ({ management }, { event, description, kind }: CreateOptions, url) =>
        management.createWebhookEndpoint({ body: { url, ...given({ kind, eventTypes: event, description }) } }),
      show: ({ id, kind, eventTypes, secret }) =>
        kind === 'slack'
          ? `The channel of endpoint ${id} gets ${eventTypes.join(', ')}.`
          : beside(`The endpoint ${id} gets ${eventTypes.join(', ')}. Its receiver verifies with:`, secret),
    }),
    test: asking({
      about: 'send a message for trial',
      takes: [endpoint],
      ask: ({ management }, _options, endpointId) => management.testWebhookEndpoint({ endpointId }),
      show: ({ id, endpointId }) =>
        `The message ${id} is on its way. What became of it: sluice webhooks messages ${endpointId} --message ${id}`,
    }),
    messages: asking({
      about: 'list the messages of an endpoint, newest first; with --message the attempts of one',
      takes: [
        endpoint,
        option('--status <status>', 'only of this status').choices(['pending', 'delivered', 'failed']),
        option('--message <messageId>', 'the attempts of this one'),
        option('--limit <count>', 'most messages', '20'),
      ],
      ask: async ({ management }, { status, message, limit }: MessagesOptions, endpointId) => {
        if (message !== undefined) return await management.listWebhookAttempts({ endpointId, messageId: message });
        const filter = { pageSize: Math.min(1000, readLimit(limit)), ...given({ status }) };
        return (await management.listWebhookMessages({ endpointId, ...filter })).results;
      },
      show: (found) => (areMessages(found) ? renderMessages(found) : renderAttempts(found)),
    }),
    replay: asking({
      about: 'send what failed again: one message, or all',
      takes: [endpoint, option('--message <messageId>', 'only this one'), since('created')],
      ask: async ({ management }, { message, since: from }: ReplayOptions, endpointId) => {
        if (message !== undefined) return await management.replayWebhookMessage({ endpointId, messageId: message });
        if (from === undefined) {
          throw new CommandFailure(
            'Add --message with one message, or --since with a moment: all that failed since.',
            exitCodes.usage,
          );
        }
        const moment = momentOf(from);
        for (let replayed = 0; ;) {
          const reply = await management.replayFailedWebhookMessages({ endpointId, since: moment });
          replayed += reply.replayed;
          if (reply.isComplete) return { replayed, isComplete: true };
        }
      },
      show: (sent) =>
        'replayed' in sent
          ? `${pluralize(sent.replayed, 'failed message')} sent again.`
          : `The message ${sent.id} is sent again.`,
    }),
    secret: asking({
      about: 'print the secret',
      takes: [endpoint],
      ask: ({ management }, _options, endpointId) => management.getWebhookSecret({ endpointId }),
      show: ({ secret }) => secret,
    }),
    'rotate-secret': asking({
      about: 'make a new secret; for a day messages are signed with both',
      takes: [endpoint],
      ask: ({ management }, _options, endpointId) => management.rotateWebhookSecret({ endpointId }),
      show: ({ previousUntilTime, secret }) => {
        const until = previousUntilTime === undefined ? '' : ` until ${shortTime(previousUntilTime)}`;
        return beside(`The secret until now signs too${until}. The new one:`, secret);
      },
    }),
    enable: switching('send to it again', 'enabled'),
    disable: switching('send nothing to it', 'disabled'),
    delete: asking({
      about: 'delete an endpoint and its messages',
      takes: [endpoint],
      ask: async ({ management }, _options, endpointId) => {
        await management.deleteWebhookEndpoint({ endpointId });
        return { id: endpointId, deleted: true };
      },
      show: ({ id }) => `The endpoint ${id} is deleted.`,
    }),
  },
};

function areMessages(found: readonly object[]): found is readonly WebhookMessage[] {
  return found.every((each) => 'notificationType' in each);
}

function switching(about: string, status: WebhookEndpoint['status']): Command {
  return asking({
    about,
    takes: [endpoint],
    ask: ({ management }, _options, endpointId) => {
      const body = { updateMask: ['status'], webhookEndpoint: { status } } as const;
      return management.updateWebhookEndpoint({ endpointId, body });
    },
    show: ({ id, url }) => `The endpoint ${id} (${url}) is ${status}.`,
  });
}
