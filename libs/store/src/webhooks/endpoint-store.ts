import type { Page, WebhookEndpoint, WebhookFilter } from '@sluice/types';
import type { Knex } from 'knex';
import type { SealedCredentials } from '../sealed-secrets';
import { onPage } from '../page';
import { resourceTimes } from '../resource-time';
import { translated } from '../translate-errors';
import { newId } from '../new-id';
import { giveUpPending } from './give-up-messages';
import type { EndpointKey } from './claim-messages';

export interface NewWebhookEndpoint {
  readonly projectId: string;
  readonly url: string;
  readonly description?: string;
  readonly eventTypes: readonly WebhookFilter[];
  /** Endpoints that the project may have with this one. */
  readonly max: number;
  /** Called with the new id, which the ciphertext is bound to. */
  readonly seal: (endpointId: string) => SealedCredentials;
}

/** Members that are absent stay as they are. */
export interface WebhookEndpointChange {
  readonly url?: string;
  readonly description?: string;
  readonly eventTypes?: readonly WebhookFilter[];
  readonly status?: WebhookEndpoint['status'];
}

/** Ciphertext of an endpoint's secrets, as they are now. */
export interface StoredSecret {
  readonly sealed: string;
  /** Until when the secret before the last rotation signs; absent: there is none. */
  readonly previousUntil?: Date;
}

/** Invariant: secrets enter and leave this store as ciphertext only, and never as part of the resource. */
export interface WebhookEndpointStore {
  /** Undefined when the project has as many as it may. */
  create(endpoint: NewWebhookEndpoint): Promise<WebhookEndpoint | undefined>;
  /** Oldest first; with a page one more than fits. */
  list(projectId: string, page?: Page): Promise<WebhookEndpoint[]>;
  find(key: EndpointKey): Promise<WebhookEndpoint | undefined>;
  /** Disabling gives up what is pending; enabling, and another address, forget the failures and a pause that was asked for. Undefined when there is none. */
  update(key: EndpointKey, change: WebhookEndpointChange): Promise<WebhookEndpoint | undefined>;
  /** With its messages and attempts. False when there was none. */
  remove(key: EndpointKey): Promise<boolean>;
  findSecret(key: EndpointKey): Promise<StoredSecret | undefined>;
  /**
   * Puts secrets in the place of the ones that were read, and lets the previous one sign for `previousMs` more.
   * Undefined: others stand there by now.
   */
  replaceSecret(
    key: EndpointKey,
    read: string,
    sealed: SealedCredentials,
    previousMs: number,
  ): Promise<Date | undefined>;
}

interface EndpointRow {
  project_id: string;
  id: string;
  url: string;
  description: string | null;
  event_types: WebhookFilter[];
  is_enabled: boolean;
  disabled_reason: WebhookEndpoint['disabledReason'] | null;
  failing_since: Date | null;
  created_at: Date;
  updated_at: Date | null;
}

const columns = [
  'project_id',
  'id',
  'url',
  'description',
  'event_types',
  'is_enabled',
  'disabled_reason',
  'failing_since',
  'created_at',
  'updated_at',
] as const;

/** Messages that one statement deletes: the statement stays far from its limit. */
const messagesPerRound = 1_000;

export function webhookEndpointStore(database: Knex): WebhookEndpointStore {
  const rowOf = ({ projectId, endpointId }: EndpointKey) =>
    database('webhook_endpoints').where({ project_id: projectId, id: endpointId });
  return translated<WebhookEndpointStore>({
    create: (endpoint) => database.transaction((transaction) => insertEndpoint(transaction, endpoint)),
    list: async (projectId, page) => {
      const query = database('webhook_endpoints').where({ project_id: projectId }).orderBy('id');
      return (await onPage(query, 'id', page).select<EndpointRow[]>(columns)).map(toEndpoint);
    },
    find: async (key) => {
      const [row] = await rowOf(key).select<EndpointRow[]>(columns);
      return row && toEndpoint(row);
    },
    update: async (key, change) => {
      const endpoint = await updateEndpoint(database, key, change);
      if (endpoint && change.status === 'disabled') await giveUpPending(database, key);
      return endpoint;
    },
    remove: async (key) => {
      if ((await rowOf(key).delete()) === 0) return false;
      while ((await deleteMessages(database, key)) === messagesPerRound);
      return true;
    },
    findSecret: async (key) => {
      const [row] = await rowOf(key).select<{ sealed_secret: string; previous_secret_until: Date | null }[]>(
        'sealed_secret',
        database.raw('case when previous_secret_until > now() then previous_secret_until end as previous_secret_until'),
      );
      if (row === undefined) return undefined;
      const previousUntil = row.previous_secret_until;
      return { sealed: row.sealed_secret, ...(previousUntil === null ? {} : { previousUntil }) };
    },
    replaceSecret: async (key, read, sealed, previousMs) => {
      const [row] = await rowOf(key)
        .where({ sealed_secret: read })
        .update({
          sealed_secret: sealed.text,
          seal_key_id: sealed.keyId,
          previous_secret_until: database.raw('now() + make_interval(secs => ?::float8 / 1000)', [previousMs]),
          updated_at: database.fn.now(),
        })
        .returning<{ previous_secret_until: Date }[]>('previous_secret_until');
      return row?.previous_secret_until;
    },
  });
}

/** The lock makes two that come at once count each other. */
async function insertEndpoint(
  transaction: Knex.Transaction,
  endpoint: NewWebhookEndpoint,
): Promise<WebhookEndpoint | undefined> {
  const { projectId } = endpoint;
  await transaction.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
    JSON.stringify(['webhook_endpoints', projectId]),
  ]);
  const there = await transaction('webhook_endpoints').where({ project_id: projectId }).select('id');
  if (there.length >= endpoint.max) return undefined;
  const id = newId();
  const sealed = endpoint.seal(id);
  const rows = await transaction('webhook_endpoints')
    .insert({
      project_id: projectId,
      id,
      url: endpoint.url,
      description: endpoint.description,
      event_types: [...endpoint.eventTypes],
      sealed_secret: sealed.text,
      seal_key_id: sealed.keyId,
    })
    .returning<EndpointRow[]>([...columns]);
  return toEndpoint(rows[0] as EndpointRow);
}

async function updateEndpoint(
  database: Knex,
  { projectId, endpointId }: EndpointKey,
  { url, description, eventTypes, status }: WebhookEndpointChange,
): Promise<WebhookEndpoint | undefined> {
  const enabled = { is_enabled: true, disabled_reason: null, failing_since: null, held_until: null };
  const disabled = { is_enabled: false, disabled_reason: 'request' };
  const [row] = await database('webhook_endpoints')
    .where({ project_id: projectId, id: endpointId })
    .update({
      url,
      description,
      event_types: eventTypes && [...eventTypes],
      // The failures were those of the address before, and so was a pause that it asked for.
      ...(url === undefined ? {} : { failing_since: null, held_until: null }),
      ...(status === undefined ? {} : status === 'enabled' ? enabled : disabled),
      updated_at: database.fn.now(),
    })
    .returning<EndpointRow[]>([...columns]);
  return row && toEndpoint(row);
}

async function deleteMessages(database: Knex, { projectId, endpointId }: EndpointKey): Promise<number> {
  const { rows } = await database.raw<{ rows: [{ deleted: number }] }>(
    `with gone as (delete from webhook_messages where project_id = :projectId and endpoint_id = :endpointId and id in (
         select id from webhook_messages where project_id = :projectId and endpoint_id = :endpointId limit :limit) returning id),
     tries as (delete from webhook_attempts a using gone
       where a.project_id = :projectId and a.endpoint_id = :endpointId and a.message_id = gone.id)
     select count(*)::integer as deleted from gone`,
    { projectId, endpointId, limit: messagesPerRound },
  );
  return rows[0].deleted;
}

function toEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    id: row.id,
    projectId: row.project_id,
    url: row.url,
    ...(row.description === null ? {} : { description: row.description }),
    eventTypes: row.event_types,
    status: row.is_enabled ? 'enabled' : 'disabled',
    ...(row.disabled_reason === null ? {} : { disabledReason: row.disabled_reason }),
    ...(row.failing_since === null ? {} : { failingSince: row.failing_since.toISOString() }),
    ...resourceTimes(row),
  };
}
