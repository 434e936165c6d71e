import type { ConnectionStatus } from './connection';
import type { RecordProblem } from './record-problem';

/**
 * What a project's webhook endpoints are notified of. The names `write.async.done`, `connection.*` and `installation.*` come from the published API,
 * but `installation.unhealthy` is ours. `endpoint.disabled` is sent to a project's other endpoints. `endpoint.test` is sent on request, whatever the filter.
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
  'installation.unhealthy',
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
  'installation.unhealthy',
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

/** Whose connection or installation it is; names are empty where there is none. */
interface OfConnection {
  readonly projectId: string;
  readonly provider: string;
  readonly connectionId: string;
  readonly groupRef: string;
  readonly groupName: string;
  readonly consumerRef: string;
  readonly consumerName: string;
}

interface OfInstallation extends OfConnection {
  readonly integrationId: string;
  readonly integrationName: string;
  readonly installationId: string;
}

/** The end of an asynchronous write, a batch or an auto-batch. */
interface WriteDone extends OfInstallation {
  readonly objectName: string;
  readonly operationId: string;
  /** As the operation has it: a success when one record was written. */
  readonly status: 'success' | 'failure';
  /** Every record was written. */
  readonly success: boolean;
  readonly recordsSucceeded: number;
  readonly recordsFailed: number;
  readonly successfulRecordIds: readonly string[];
  /** One for each class of failure: `rejected: 1 of 3 records`. */
  readonly errors: readonly string[];
  /** What the provider found wrong, by field; the most frequent 20. A sentence may repeat a value, so none is here: `listOperationRecords` has them. */
  readonly problems: readonly (Pick<RecordProblem, 'field' | 'providerField' | 'code'> & {
    readonly records: number;
  })[];
}

interface Event<Type extends WebhookEventType, Data> {
  /** Of this shape. Members may be added without another version. */
  readonly version: '1';
  /** The same as the header `svix-id`: equal in every delivery of the event, to whichever endpoint. */
  readonly id: string;
  readonly notificationType: Type;
  /** When it happened. */
  readonly createTime: string;
  readonly data: Data;
}

export type WriteDoneEvent = Event<'write.async.done', WriteDone>;

/** Its `healthStatus` turned `unhealthy`; sent once until it is healthy again. */
export type InstallationUnhealthyEvent = Event<
  'installation.unhealthy',
  OfInstallation & {
    /** The provider refuses its connection, or its latest five operations failed. */
    readonly reason: 'bad_credentials' | 'operations_failed';
  }
>;

type OfKind<Kind extends string> = Extract<WebhookEventType, `${Kind}.${string}`>;

/**
 * The body of a message; `notificationType` tells which members `data` has. It names resources and their new state; it never holds a value of a
 * customer's record. `notificationType` and `data` as in the published API; the rest is ours.
 */
export type WebhookEvent =
  | WriteDoneEvent
  | Event<OfKind<'connection'>, OfConnection & { readonly status: ConnectionStatus }>
  | Event<Exclude<OfKind<'installation'>, 'installation.unhealthy'>, OfInstallation>
  | InstallationUnhealthyEvent
  | Event<'endpoint.disabled', { readonly projectId: string; readonly endpointId: string; readonly reason: string }>
  | Event<'endpoint.test', { readonly projectId: string; readonly endpointId: string }>;
