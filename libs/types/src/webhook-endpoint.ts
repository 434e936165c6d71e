import {
  choice,
  closedObject,
  count,
  maskOf,
  momentText,
  nameText,
  openObject,
  text,
  type Described,
} from './json-schema';
import { webhookFilters, webhookFiltersDefault, type WebhookFilter } from './webhook-event';

/** What reads the messages: a program, or people by way of Slack or what takes the same, such as Mattermost. */
export const webhookKinds = ['webhook', 'slack'] as const;
export type WebhookKind = (typeof webhookKinds)[number];

/** What an endpoint of kind `slack` can ask for, and gets when it asks for nothing: what somebody must do something about. */
export const slackFilters: readonly WebhookFilter[] = ['connection.error', 'installation.unhealthy'];

/** Endpoints of one project at most. Our choice: each event is stored once for each of them. */
export const webhookEndpointsMax = 20;

/** Messages of an endpoint that its figures count. Our choice: a page of 20 endpoints reads 4,000 rows at most. */
export const webhookDayMessagesMax = 200;

const disabledReasons = ['request', 'failing', 'gone'] as const;

const id = text('Id of the endpoint.');
const url = {
  type: 'string',
  minLength: 1,
  maxLength: 2_048,
  pattern: '^[^\\u0000\\r\\n]+$',
  description: 'Where messages are sent to: an https address that is reached over the internet.',
} as const;
const kind = choice(
  'What is sent: webhook, events as signed JSON; slack, a text as an incoming webhook of Slack takes it.',
  webhookKinds,
);
const description = { ...nameText, description: 'What the endpoint is for.' } as const;
const eventTypes = {
  type: 'array',
  description: 'The types that are sent; connection.* and installation.* are all of their kind.',
  minItems: 1,
  maxItems: webhookFilters.length,
  uniqueItems: true,
  items: { type: 'string', enum: webhookFilters },
} as const;
/** `disabled`: nothing is sent, and later events are not kept for it. */
const status = choice('Whether messages are sent.', ['enabled', 'disabled']);
const secret = {
  type: 'string',
  writeOnly: true,
  description: 'The secret of the signatures: whsec_ and 32 bytes in base64.',
} as const;

const shown = {
  id,
  projectId: text('Project of the endpoint.'),
  kind,
  url: {
    ...url,
    description: 'Where messages are sent to; of kind slack only its host, because the rest is a secret.',
  },
  description,
  eventTypes,
  status,
  disabledReason: choice(
    'Why it is disabled: by request, because all attempts of a week failed, or because its receiver answered 410 Gone.',
    disabledReasons,
  ),
  failingSince: momentText('The first failed attempt since the last successful one.'),
  lastDay: openObject(
    `What became of the messages of the last day; of the newest ${webhookDayMessagesMax}, if there are more. Only where endpoints are read.`,
    ['delivered', 'failed'],
    {
      delivered: count('Messages that the receiver accepted.'),
      failed: count('Messages whose last attempt failed; some are tried again.'),
      lastFailureTime: momentText('The newest attempt of them that failed.'),
    },
  ),
  createTime: momentText('When it was created.'),
  updateTime: momentText('When it was last changed.'),
} as const;

const required = ['id', 'projectId', 'kind', 'url', 'eventTypes', 'status', 'createTime'] as const;

export const webhookEndpointSchema = openObject("Where a project's notifications go.", required, shown);
/** Its secret is shown on request only. Our addition: the specification shows no events. */
export type WebhookEndpoint = Described<typeof webhookEndpointSchema>;

export const createdWebhookEndpointSchema = openObject('A new endpoint, with its secret.', [...required, 'secret'], {
  ...shown,
  secret: { ...secret, writeOnly: false },
});
export type CreatedWebhookEndpoint = Described<typeof createdWebhookEndpointSchema>;

export const webhookSecretSchema = openObject('The secret that signs the messages of an endpoint.', ['secret'], {
  secret: { ...secret, writeOnly: false },
  previousSecret: { ...secret, writeOnly: false, description: 'The one before, while it signs too.' },
  previousUntilTime: momentText('Until when the one before signs.'),
});
export type WebhookSecret = Described<typeof webhookSecretSchema>;

export const createWebhookEndpointRequestSchema = closedObject('A new endpoint.', ['url'], {
  kind: { ...kind, default: 'webhook' },
  url,
  description,
  eventTypes: {
    ...eventTypes,
    description: `${eventTypes.description} Of kind slack only ${slackFilters.join(' and ')}, which are its default.`,
    default: webhookFiltersDefault,
  },
});
export type CreateWebhookEndpointRequest = Described<typeof createWebhookEndpointRequestSchema>;

export const updateWebhookEndpointRequestSchema = closedObject(
  'Changes of an endpoint; only what updateMask names is used.',
  ['updateMask', 'webhookEndpoint'],
  {
    updateMask: maskOf(['url', 'description', 'eventTypes', 'status']),
    webhookEndpoint: closedObject('The new values.', { url, description, eventTypes, status }),
  },
);
export type UpdateWebhookEndpointRequest = Described<typeof updateWebhookEndpointRequestSchema>;
