import { filtersFor, type WebhookEventType } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';

/*
 * Messages are inserted by the transaction that makes the change they tell of: none is lost with a crash, and none tells of what did
 * not happen. A project without an endpoint costs one look at an index. Nothing in a payload is a value of a record, and nothing is
 * the provider's words, because they may repeat one.
 */

// Cast by word: knex reads what stands between two colons as a name.
const eventId = 'cast(:eventId as text)';
const eventType = 'cast(:eventType as text)';
const eventFilters = 'cast(:eventFilters as text[])';

/** A moment as the API spells it. */
const momentSql = (moment: string): string => `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The body of a message; see `WebhookEvent`. @param data SQL of a json object */
export const payloadSql = (id: string, type: string, data: string): string =>
  `json_build_object('version', '1', 'id', ${id}, 'notificationType', ${type}, 'createTime', ${momentSql('now()')}, 'data', ${data})::text`;

/** Whether an endpoint `e` is the project's and asks for a type. @param project SQL of the project's id @param filters SQL of the filters */
export const asksSql = (project: string, filters: string): string =>
  `e.project_id = ${project} and e.is_enabled and e.event_types && ${filters}`;

/** The endpoints that ask, as `e`, to be joined. */
export const endpointsSql = (project: string, filters: string): string =>
  `webhook_endpoints e on ${asksSql(project, filters)}`;

/** Inserts one message for each endpoint. @param from SQL behind `from`, with the endpoints as `e` */
export const insertMessagesSql = (id: string, type: string, data: string, from: string): string =>
  `insert into webhook_messages (project_id, endpoint_id, id, type, payload)
   select e.project_id, e.id, ${id}, ${type}, ${payloadSql(id, type, data)} from ${from}`;

/** A group and a consumer as `g` and `u`, of a connection that stands as `k`; they stay when the connection goes. */
const peopleSql = `left join groups g on g.project_id = k.project_id and g.group_ref = k.group_ref
     left join consumers u on u.project_id = k.project_id and u.consumer_ref = k.consumer_ref`;

const connectionMembers = `'projectId', k.project_id, 'provider', k.provider, 'connectionId', k.id, 'groupRef', k.group_ref,
  'groupName', coalesce(g.group_name, ''), 'consumerRef', k.consumer_ref, 'consumerName', coalesce(u.consumer_name, '')`;

/**
 * A statement part that tells of a connection. Bindings: see `eventBindings`.
 * @param source the connection's row by another name: a table with its condition, or a CTE that changed it
 */
export const tellConnectionSql = (source: string): string =>
  insertMessagesSql(
    eventId,
    eventType,
    `json_build_object(${connectionMembers}, 'status', k.status)`,
    `${source} k join ${endpointsSql('k.project_id', eventFilters)} ${peopleSql}`,
  );

/** The same of an installation; the members are those of the published API. */
export const tellInstallationSql = (source: string): string =>
  insertMessagesSql(
    eventId,
    eventType,
    `json_build_object('projectId', i.project_id, 'provider', coalesce(n.provider, k.provider, ''), 'integrationId', i.integration_id,
      'integrationName', coalesce(n.name, ''), 'installationId', i.id, 'groupRef', i.group_ref,
      'groupName', coalesce(g.group_name, ''), 'connectionId', i.connection_id, 'consumerRef', coalesce(k.consumer_ref, ''),
      'consumerName', coalesce(u.consumer_name, ''))`,
    `${source} i join ${endpointsSql('i.project_id', eventFilters)}
     left join integrations n on n.project_id = i.project_id and n.id = i.integration_id
     left join connections k on k.project_id = i.project_id and k.id = i.connection_id ${peopleSql}`,
  );

/** What the parts above are bound with. */
export function eventBindings(type: WebhookEventType): Record<string, Knex.Value> {
  return { eventId: newId(), eventType: type, eventFilters: [...filtersFor(type)] };
}

/** Tells of a connection as this transaction has changed it. */
export async function tellConnection(
  transaction: Knex.Transaction,
  type: WebhookEventType,
  { projectId, connectionId }: { readonly projectId: string; readonly connectionId: string },
): Promise<void> {
  await transaction.raw(
    tellConnectionSql('(select * from connections where project_id = :projectId and id = :connectionId)'),
    { projectId, connectionId, ...eventBindings(type) },
  );
}

/** Tells of an installation as this transaction has changed it. */
export async function tellInstallation(
  transaction: Knex.Transaction,
  type: WebhookEventType,
  { projectId, installationId }: { readonly projectId: string; readonly installationId: string },
): Promise<void> {
  await transaction.raw(
    tellInstallationSql('(select * from installations where project_id = :projectId and id = :installationId)'),
    { projectId, installationId, ...eventBindings(type) },
  );
}
