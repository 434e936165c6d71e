/**
 * What a project's webhook endpoints are notified of. The names `write.async.done`, `connection.*` and `installation.*` come from the published API.
 * `endpoint.disabled` is sent to a project's other endpoints. `endpoint.test` is sent on request, whatever the filter.
 */
export const webhookEventTypes = [
  'write.async.done',
  'connection.created',
  'connection.error',
  'connection.refreshed',
  'connection.updated',
  'connection.deleted',
  'installation.created',
  'installation.updated',
  'installation.deleted',
  'endpoint.disabled',
  'endpoint.test',
] as const;

export type WebhookEventType = (typeof webhookEventTypes)[number];

/** What an endpoint can ask for: one type, or with `.*` all of a kind. */
export const webhookFilters = [
  'write.async.done',
  'connection.*',
  'connection.created',
  'connection.error',
  'connection.refreshed',
  'connection.updated',
  'connection.deleted',
  'installation.*',
  'installation.created',
  'installation.updated',
  'installation.deleted',
  'endpoint.disabled',
] as const;

export type WebhookFilter = (typeof webhookFilters)[number];

/** What an endpoint gets that asks for nothing: everything. */
export const webhookFiltersDefault: readonly WebhookFilter[] = [
  'write.async.done',
  'connection.*',
  'installation.*',
  'endpoint.disabled',
];

/** The filters that let a type through. */
export function filtersFor(type: WebhookEventType): readonly string[] {
  return [type, `${type.slice(0, type.indexOf('.'))}.*`];
}

/**
 * The body of a message. It names resources and their new state; it never holds a value of a customer's record.
 * `notificationType` and `data` as in the published API; the rest is ours.
 */
export interface WebhookEvent {
  /** Of this shape. Members may be added without another version. */
  readonly version: '1';
  /** The same as the header `svix-id`: equal in every delivery of the event, to whichever endpoint. */
  readonly id: string;
  readonly notificationType: WebhookEventType;
  /** When it happened. */
  readonly createTime: string;
  /** By type: see docs/guides/notifications.md. */
  readonly data: Readonly<Record<string, unknown>>;
}
