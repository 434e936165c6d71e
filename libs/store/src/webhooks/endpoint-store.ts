import {
  webhookDayMessagesMax,
  type BoundedPage,
  type Page,
  type WebhookEndpoint,
  type WebhookFilter,
  type WebhookKind,
} from '@sluice/types';
import type { Knex } from 'knex';
import { inMs } from '../database';
import { refusedStatement } from '../database-errors';
import { guard } from '../guard';
import { newId } from '../new-id';
import { pageOfRows } from '../page';
import { sealedColumns, type SealedCredentials } from '../sealed-secrets';
import { moment, momentSql, optional, plain, shownAs, table, times, type StoredRow } from '../table';
import type { EndpointKey } from './claim-messages';
import { giveUpPending } from './give-up-messages';

export interface NewWebhookEndpoint extends Pick<WebhookEndpoint, 'projectId' | 'url' | 'description' | 'eventTypes'> {
  /** @default 'webhook' */
  readonly kind?: WebhookKind;
  /** Endpoints that the project may have with this one. */
  readonly max: number;
  /** Called with the new id, which the ciphertext is bound to. */
  readonly seal: (endpointId: string) => SealedCredentials;
}

/** Members that are absent stay as they are. */
export type WebhookEndpointChange = Partial<Pick<WebhookEndpoint, 'url' | 'description' | 'eventTypes' | 'status'>>;

/** Ciphertext of an endpoint's secrets, as they are now. */
export interface StoredSecret {
  readonly sealed: string;
  /** Until when the secret before the last rotation signs; absent: there is none. */
  readonly previousUntil?: Date;
}

const endpointMembers = {
  id: plain('id'),
  projectId: plain('project_id'),
  kind: plain<WebhookKind>('kind'),
  url: plain('url'),
  description: optional(plain('description')),
  eventTypes: plain<readonly WebhookFilter[]>('event_types'),
  status: shownAs('is_enabled', (isEnabled: boolean) => (isEnabled ? 'enabled' : 'disabled')),
  disabledReason: optional(plain<NonNullable<WebhookEndpoint['disabledReason']>>('disabled_reason')),
  failingSince: optional(moment('failing_since')),
  ...times,
};
const endpoints = table(endpointMembers);

/** Where endpoints are read: with what became of their newest messages. */
const withFigures = table({ ...endpointMembers, lastDay: plain<NonNullable<WebhookEndpoint['lastDay']>>('last_day') });

/** Reads the newest messages by their ids, which are in the order of time, and the attempts of those that did not arrive at once. */
const lastDaySql = `(
  select jsonb_strip_nulls(jsonb_build_object(
    'delivered', count(*) filter (where n.state = 'delivered'), 'failed', count(*) filter (where n.is_failed),
    'lastFailureTime', ${momentSql('max(n.failed_at)')}))
  from (
    select m.state, m.created_at,
      m.state = 'failed' or m.state = 'pending' and m.tries > case when m.lease_until > now() then 1 else 0 end as is_failed,
      case when m.state <> 'delivered' or m.attempts > 1 then (
        select max(a.started_at) from webhook_attempts a
        where a.project_id = m.project_id and a.endpoint_id = m.endpoint_id and a.message_id = m.id and a.class <> 'delivered') end as failed_at
    from webhook_messages m
    where m.project_id = webhook_endpoints.project_id and m.endpoint_id = webhook_endpoints.id
    order by m.id desc limit ${webhookDayMessagesMax}) n
  where n.created_at > now() - interval '1 day') as last_day`;

/** What a status changes. Enabling forgets the failures and a pause that the receiver requested. */
const statusColumns = {
  enabled: { is_enabled: true, disabled_reason: null, failing_since: null, held_until: null },
  disabled: { is_enabled: false, disabled_reason: 'request' },
};

/** Messages that one statement deletes: the statement stays far from its limit. */
const messagesPerPass = 1_000;

/** Invariant: secrets enter and leave this store as ciphertext only, and never as part of the resource. */
export function webhookEndpointStore(database: Knex) {
  const rowOf = ({ projectId, endpointId }: EndpointKey) =>
    database('webhook_endpoints').where({ project_id: projectId, id: endpointId });
  const figured = [...endpoints.columns, database.raw(lastDaySql)];
  return {
    /** Undefined when the project has as many as it may. */
    create: (endpoint: NewWebhookEndpoint): Promise<WebhookEndpoint | undefined> =>
      database.transaction((transaction) => insertEndpoint(transaction, endpoint)),
    listPage: (projectId: string, page: Page): Promise<BoundedPage<WebhookEndpoint>> => {
      const query = database('webhook_endpoints').where({ project_id: projectId }).select(figured);
      return pageOfRows(query, page, withFigures.read);
    },
    find: async (key: EndpointKey): Promise<WebhookEndpoint | undefined> =>
      withFigures.first(await rowOf(key).select<StoredRow[]>(figured)),
    /** Disabling gives up what is pending; enabling, and another address, forget the failures and a pause that was requested. Undefined when there is none. */
    update: async (key: EndpointKey, change: WebhookEndpointChange): Promise<WebhookEndpoint | undefined> => {
      const { url, description, eventTypes, status } = change;
      const [row] = await rowOf(key)
        .update({
          ...endpoints.write({ url, description, eventTypes }),
          // The failures were those of the address before, and so was a pause that it requested.
          ...(url === undefined ? {} : { failing_since: null, held_until: null }),
          ...(status && statusColumns[status]),
          updated_at: database.fn.now(),
        })
        .returning<StoredRow[]>(endpoints.columns);
      if (row && status === 'disabled') await giveUpPending(database, key);
      return row && endpoints.read(row);
    },
    /** With its messages and attempts. False when there was none. */
    remove: async (key: EndpointKey): Promise<boolean> => {
      if ((await rowOf(key).delete()) === 0) return false;
      while ((await guard(() => deleteMessages(database, key), refusedStatement)) === messagesPerPass);
      return true;
    },
    findSecret: async (key: EndpointKey): Promise<StoredSecret | undefined> => {
      const [row] = await rowOf(key).select<{ sealed: string; until: Date | null }[]>(
        'sealed_secret as sealed',
        database.raw('case when previous_secret_until > now() then previous_secret_until end as until'),
      );
      return row && { sealed: row.sealed, ...(row.until && { previousUntil: row.until }) };
    },
    /**
     * Replaces the secrets that were read, and lets the previous one sign for `previousMs` more; without it as long as before.
     * Returns until when it signs. Undefined: others are stored by now.
     */
    replaceSecret: async (
      key: EndpointKey,
      read: string,
      sealed: SealedCredentials,
      previousMs?: number,
    ): Promise<{ readonly until: Date | null } | undefined> => {
      const [row] = await rowOf(key)
        .where({ sealed_secret: read })
        .update({
          ...sealedColumns('webhook endpoint', sealed),
          ...(previousMs !== undefined && { previous_secret_until: inMs(database, previousMs) }),
          updated_at: database.fn.now(),
        })
        .returning<{ until: Date | null }[]>('previous_secret_until as until');
      return row;
    },
  };
}

async function insertEndpoint(
  transaction: Knex.Transaction,
  { seal, max, ...endpoint }: NewWebhookEndpoint,
): Promise<WebhookEndpoint | undefined> {
  const { projectId } = endpoint;
  const lock = JSON.stringify(['webhook_endpoints', projectId]);
  await transaction.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [lock]);
  const existing = await transaction('webhook_endpoints').where({ project_id: projectId }).select('id');
  if (existing.length >= max) return undefined;
  const id = newId();
  const row = { ...endpoints.write({ ...endpoint, id }), ...sealedColumns('webhook endpoint', seal(id)) };
  return endpoints.first(await transaction('webhook_endpoints').insert(row).returning(endpoints.columns));
}

async function deleteMessages(database: Knex, { projectId, endpointId }: EndpointKey): Promise<number> {
  const { rows } = await database.raw<{ rows: [{ deleted: number }] }>(
    `with gone as (delete from webhook_messages where project_id = :projectId and endpoint_id = :endpointId and id in (
         select id from webhook_messages where project_id = :projectId and endpoint_id = :endpointId limit :limit) returning id),
     tries as (delete from webhook_attempts a using gone
       where a.project_id = :projectId and a.endpoint_id = :endpointId and a.message_id = gone.id)
     select count(*)::integer as deleted from gone`,
    { projectId, endpointId, limit: messagesPerPass },
  );
  return rows[0].deleted;
}
