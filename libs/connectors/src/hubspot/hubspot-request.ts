import type { HttpRequest } from '../http-client';
import type { ProviderFailure } from '../results';
import type { Signal } from './error-table';
import type { Json } from './wire';

/** What each call does. An association set twice is the same association, so it is like an update. */
export const writes = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  associate: 'update',
  'batch-create': 'create',
  'batch-update': 'update',
  'batch-upsert': 'create',
  'batch-read': 'read',
  search: 'read',
  properties: 'read',
  schema: 'read',
  workspace: 'read',
  scopes: 'read',
  refresh: 'read',
  'exchange-code': 'read',
} as const satisfies Readonly<Record<string, Signal['write']>>;

/** Names of the calls in logs and metrics. */
export type Operation = keyof typeof writes;

export interface HubspotRequest {
  readonly operation: Operation;
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly body?: unknown;
  /** Every record of the call has a unique property. @default false */
  readonly isKeyed?: boolean;
}

/** A 2xx with a JSON object (an empty one for a 204, where that is the success), or why not. */
export type HubspotAnswer =
  { readonly ok: true; readonly body: Json } | { readonly ok: false; readonly failure: ProviderFailure };

/** The call is about several records, so a failure of it need not be about each. */
export function isBatch({ operation }: HubspotRequest): boolean {
  return operation.startsWith('batch') || operation === 'associate';
}
