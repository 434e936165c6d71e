import { moment } from './json-schema';
import { paginationSchema, type Pagination } from './operation';
import { webhookEventTypes, type WebhookEvent, type WebhookEventType } from './webhook-event';

/** Where a message stands: to be sent (again), taken by its receiver, or given up until somebody replays it. */
export const webhookMessageStates = ['pending', 'delivered', 'failed'] as const;
export type WebhookMessageState = (typeof webhookMessageStates)[number];

/** One event on its way to one endpoint. */
export interface WebhookMessage {
  /** The header `svix-id`. */
  readonly id: string;
  readonly endpointId: string;
  readonly notificationType: WebhookEventType;
  readonly status: WebhookMessageState;
  /** Attempts that were begun. */
  readonly attempts: number;
  readonly createTime: string;
  /** While it is pending: not before this moment. */
  readonly nextAttemptTime?: string;
  /** When it was delivered or given up. */
  readonly endTime?: string;
}

/** A message with what is sent. */
export interface WebhookMessageWithPayload extends WebhookMessage {
  readonly payload: WebhookEvent;
}

/** Newest first. */
export interface WebhookMessageListReply {
  readonly results: readonly WebhookMessage[];
  readonly pagination: Pagination;
}

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

/** One try to deliver a message. What it says at its end is absent while it runs, and for ever when its process was killed. */
export interface WebhookAttempt {
  /** From 1. */
  readonly number: number;
  readonly startTime: string;
  readonly class?: WebhookAttemptClass;
  /** HTTP status, when the receiver answered. */
  readonly responseStatus?: number;
  readonly durationMs?: number;
  /** The beginning of the receiver's answer. */
  readonly response?: string;
}

export interface WebhookReplayReply {
  /** Messages that will be sent again. */
  readonly replayed: number;
  /** False: there are more; the same request goes on. */
  readonly isComplete: boolean;
}

const shown = {
  id: { type: 'string', description: 'Id of the message: the header svix-id.' },
  endpointId: { type: 'string', description: 'Endpoint it is for.' },
  notificationType: { type: 'string', enum: webhookEventTypes, description: 'What it tells of.' },
  status: { type: 'string', enum: webhookMessageStates, description: 'Where it stands.' },
  attempts: { type: 'integer', minimum: 0, description: 'Attempts that were begun.' },
  createTime: { ...moment, description: 'When it happened.' },
  nextAttemptTime: { ...moment, description: 'While it is pending: not before this moment.' },
  endTime: { ...moment, description: 'When it was delivered or given up.' },
} as const;

const required = ['id', 'endpointId', 'notificationType', 'status', 'attempts', 'createTime'] as const;

/** Schema of the resource in lists and replays. */
export const webhookMessageSchema = {
  type: 'object',
  description: 'One event on its way to one endpoint.',
  required,
  properties: shown,
} as const;

/** Schema of a message with what is sent. */
export const webhookMessageWithPayloadSchema = {
  type: 'object',
  description: 'A message with what is sent.',
  required: [...required, 'payload'],
  properties: {
    ...shown,
    payload: {
      type: 'object',
      description: 'The body that is sent.',
      required: ['version', 'id', 'notificationType', 'createTime', 'data'],
      properties: {
        version: { type: 'string', description: 'Of the shape of the body.' },
        id: { type: 'string', description: 'Id of the event: the header svix-id.' },
        notificationType: { type: 'string', enum: webhookEventTypes, description: 'What it tells of.' },
        createTime: { ...moment, description: 'When it happened.' },
        data: { type: 'object', description: 'What happened.', additionalProperties: true },
      },
    },
  },
} as const;

/** Schema of a page of messages. */
export const webhookMessageListReplySchema = {
  type: 'object',
  description: 'A page of messages, newest first.',
  required: ['results', 'pagination'],
  properties: {
    results: { type: 'array', description: 'The messages.', items: webhookMessageSchema },
    pagination: paginationSchema,
  },
} as const;

/** Schema of an attempt in replies. */
export const webhookAttemptSchema = {
  type: 'object',
  description: 'One try to deliver a message.',
  required: ['number', 'startTime'],
  properties: {
    number: { type: 'integer', minimum: 1, description: 'Which attempt of the message.' },
    startTime: { ...moment, description: 'When it began.' },
    class: { type: 'string', enum: webhookAttemptClasses, description: 'What became of it; absent while it runs.' },
    responseStatus: { type: 'integer', description: 'HTTP status of the answer.' },
    durationMs: { type: 'integer', minimum: 0, description: 'How long it took, in milliseconds.' },
    response: { type: 'string', description: 'The beginning of the answer.' },
  },
} as const;

/** Schema of the reply to a replay of many. */
export const webhookReplayReplySchema = {
  type: 'object',
  description: 'What will be sent again.',
  required: ['replayed', 'isComplete'],
  properties: {
    replayed: { type: 'integer', minimum: 0, description: 'Messages that will be sent again.' },
    isComplete: {
      type: 'boolean',
      description:
        'False when more of them have failed than one request puts back (100,000): send it again for the rest.',
    },
  },
} as const;
