import { choice, count, flag, momentText, openObject, text, type Described } from './json-schema';
import { pageOf, type ListReply } from './operation';
import { webhookEventTypes, type WebhookEvent } from './webhook-event';

/** State of a message: to be sent (again), accepted by its receiver, or given up until it is replayed. */
export const webhookMessageStates = ['pending', 'delivered', 'failed'] as const;
export type WebhookMessageState = (typeof webhookMessageStates)[number];

/** A message with what is sent. */
export interface WebhookMessageWithPayload extends WebhookMessage {
  readonly payload: WebhookEvent;
}

/** Newest first. */
export type WebhookMessageListReply = ListReply<WebhookMessage>;

/**
 * What became of an attempt. `delivered`: the receiver answered 2xx. `refused`: it answered something else, a redirect included.
 * `timeout`: no answer in time. `unreachable`: no connection, or one that broke. `forbidden-address`: the receiver has no public
 * address (its name does not exist, or is one of a private network), and nothing was sent. `not-signed`: the endpoint's secret cannot be read, and nothing was sent; the operator's to mend.
 */
export const webhookAttemptClasses = [
  'delivered',
  'refused',
  'timeout',
  'unreachable',
  'forbidden-address',
  'not-signed',
] as const;
export type WebhookAttemptClass = (typeof webhookAttemptClasses)[number];

const shown = {
  id: text('Id of the message: the header svix-id.'),
  endpointId: text('Endpoint it is for.'),
  notificationType: choice('The event that it reports.', webhookEventTypes),
  status: choice('Its state.', webhookMessageStates),
  attempts: count('Attempts that were begun.'),
  createTime: momentText('When it happened.'),
  nextAttemptTime: momentText('While it is pending: not before this moment.'),
  endTime: momentText('When it was delivered or given up.'),
} as const;

const required = ['id', 'endpointId', 'notificationType', 'status', 'attempts', 'createTime'] as const;

export const webhookMessageSchema = openObject('One event on its way to one endpoint.', required, shown);
export type WebhookMessage = Described<typeof webhookMessageSchema>;

export const webhookMessageWithPayloadSchema = openObject('A message with its payload.', [...required, 'payload'], {
  ...shown,
  payload: openObject('The body that is sent.', ['version', 'id', 'notificationType', 'createTime', 'data'], {
    version: text('Of the shape of the body.'),
    id: text('Id of the event: the header svix-id.'),
    notificationType: choice('The event that it reports.', webhookEventTypes),
    createTime: momentText('When it happened.'),
    data: { type: 'object', description: 'What happened.', additionalProperties: true },
  }),
});

export const webhookMessageListReplySchema = pageOf(
  'A page of messages, newest first.',
  'The messages.',
  webhookMessageSchema,
);

export const webhookAttemptSchema = openObject('One try to deliver a message.', ['number', 'startTime'], {
  number: { type: 'integer', minimum: 1, description: 'Which attempt of the message.' },
  startTime: momentText('When it began.'),
  class: choice('Its outcome; absent while it runs.', webhookAttemptClasses),
  responseStatus: { type: 'integer', description: 'HTTP status of the answer.' },
  durationMs: count('How long it took, in milliseconds.'),
  response: text('The beginning of the answer.'),
});
/** The members of its end are absent while it runs, and for good if its process was killed. */
export type WebhookAttempt = Described<typeof webhookAttemptSchema>;

export const webhookReplayReplySchema = openObject(
  'The messages that will be sent again.',
  ['replayed', 'isComplete'],
  {
    replayed: count('Messages that will be sent again.'),
    isComplete: flag(
      'False when more messages have failed than one request sends again (100,000). Repeat the request for the rest.',
    ),
  },
);
export type WebhookReplayReply = Described<typeof webhookReplayReplySchema>;
