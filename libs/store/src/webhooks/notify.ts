import { filtersFor, webhookEndpointsMax, type WebhookEventType } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';
import { column, rowSource } from '../row-source';
import { momentSql } from '../table';

/*
 * Messages are inserted by the transaction whose change they report: none is lost with a crash, and none reports what did not
 * happen. A project without an endpoint costs one lookup in an index. Nothing in a payload is a value of a record, and nothing is
 * the provider's text, because it may repeat one.
 */

/** The body of a message; see `WebhookEvent`. @param data SQL of a json object */
const payloadSql = (id: string, type: string, data: string): string =>
  `json_build_object('version', '1', 'id', ${id}, 'notificationType', ${type}, 'createTime', ${momentSql('now()')}, 'data', ${data})::text`;

/** Whether an endpoint `e` is the project's and subscribes to a type. @param project SQL of the project's id @param filters SQL of the filters */
const subscribesSql = (project: string, filters: string): string =>
  `e.project_id = ${project} and e.is_enabled and e.event_types && ${filters}`;

// Cast in this form: knex reads what stands between two colons as a name.
const eventId = 'cast(:eventId as text)';
const eventType = 'cast(:eventType as text)';

/** The endpoints that subscribe, as `e`, to be joined. */
export const subscribersSql = (project: string): string =>
  `webhook_endpoints e on ${subscribesSql(project, 'cast(:eventFilters as text[])')}`;

/** Inserts one message for each endpoint. Bindings: see `eventBindings`. @param from SQL behind `from`, with the endpoints as `e` */
export const insertMessagesSql = (data: string, from: string): string =>
  `insert into webhook_messages (project_id, endpoint_id, id, type, payload)
   select e.project_id, e.id, ${eventId}, ${eventType}, ${payloadSql(eventId, eventType, data)} from ${from}`;

/** What the statements of one event are bound with. */
export function eventBindings(type: WebhookEventType): Record<string, Knex.Value> {
  return { eventId: newId(), eventType: type, eventFilters: [...filtersFor(type)] };
}

/** A group and a consumer as `g` and `u`, of a connection that stands as `k`; they stay when the connection goes. */
const peopleSql = `left join groups g on g.project_id = k.project_id and g.group_ref = k.group_ref
     left join consumers u on u.project_id = k.project_id and u.consumer_ref = k.consumer_ref`;

const connectionMembers = `'projectId', k.project_id, 'provider', k.provider, 'connectionId', k.id, 'groupRef', k.group_ref,
  'groupName', coalesce(g.group_name, ''), 'consumerRef', k.consumer_ref, 'consumerName', coalesce(u.consumer_name, '')`;

/**
 * Part of a statement: messages about a connection. Bindings: see `eventBindings`.
 * @param source the connection's row by another name: a table with its condition, or a CTE that changed it
 */
export const connectionEventSql = (source: string): string =>
  insertMessagesSql(
    `json_build_object(${connectionMembers}, 'status', k.status)`,
    `${source} k join ${subscribersSql('k.project_id')} ${peopleSql}`,
  );

/**
 * The same of an installation; the members are those of the published API.
 * @param more SQL of further members
 */
export const installationEventSql = (source: string, more = ''): string =>
  insertMessagesSql(
    `json_build_object('projectId', i.project_id, 'provider', coalesce(n.provider, k.provider, ''), 'integrationId', i.integration_id,
      'integrationName', coalesce(n.name, ''), 'installationId', i.id, 'groupRef', i.group_ref,
      'groupName', coalesce(g.group_name, ''), 'connectionId', i.connection_id, 'consumerRef', coalesce(k.consumer_ref, ''),
      'consumerName', coalesce(u.consumer_name, '')${more})`,
    `${source} i join ${subscribersSql('i.project_id')}
     left join integrations n on n.project_id = i.project_id and n.id = i.integration_id
     left join connections k on k.project_id = i.project_id and k.id = i.connection_id ${peopleSql}`,
  );

/** Notifies of a connection as this transaction has changed it. */
export async function notifyConnection(
  transaction: Knex.Transaction,
  type: WebhookEventType,
  { projectId, connectionId: id }: { readonly projectId: string; readonly connectionId: string },
): Promise<void> {
  const own = `(select * from connections where project_id = :projectId and id = :id)`;
  await transaction.raw(connectionEventSql(own), { projectId, id, ...eventBindings(type) });
}

/** Notifies of an installation as this transaction has changed it. */
export async function notifyInstallation(
  transaction: Knex.Transaction,
  type: WebhookEventType,
  { projectId, installationId: id }: { readonly projectId: string; readonly installationId: string },
): Promise<void> {
  const own = `(select * from installations where project_id = :projectId and id = :id)`;
  await transaction.raw(installationEventSql(own), { projectId, id, ...eventBindings(type) });
}

/** SQL: an enabled endpoint of a project is notified when an installation turns unhealthy. @param project SQL of the project's id */
export const isWatchedSql = (project: string): string =>
  `exists (select 1 from webhook_endpoints e where ${subscribesSql(project, `'{${filtersFor('installation.unhealthy').join(',')}}'::text[]`)})`;

/** Names an operation that this transaction has ended. */
export interface EndedKey {
  readonly projectId: string;
  readonly operationId: string;
}

/** An enabled endpoint `e` of the project of `o` subscribes to the ends of operations. */
const awaitsEndSql = subscribesSql('o.project_id', `'{${filtersFor('write.async.done').join(',')}}'::text[]`);

/**
 * SQL: somebody is notified that an operation `o` has ended. One lookup of the endpoints' key, so a settlement of a project without endpoints pays
 * nothing else. The caller of a synchronous write has its reply already.
 */
export const isAwaitedSql = `(o.mode <> 'synchronous' and exists (select 1 from webhook_endpoints e where ${awaitsEndSql}))`;

const columns = [
  column<EndedKey>('project_id', 'text', (ended) => ended.projectId),
  column<EndedKey>('operation_id', 'text', (ended) => ended.operationId),
  column<EndedKey>('event_id', 'text', newId),
];

/** Kinds of problems in one message. */
const problemsShown = 20;

const groupRef = 'coalesce(i.group_ref, d.group_ref, k.group_ref)';
const consumerRef = 'coalesce(k.consumer_ref, case when o.connection_id = d.connection_id then d.consumer_ref end)';

/**
 * The published members: who it was for, `objectName`, `success` (every record was written), the written records' ids, and `errors`. Our
 * additions: `operationId`, `status` as get-operation has it, counts, and `problems`. An error is a class with how many records it hit; the
 * provider's text stands with the records.
 */
const operationData = (
  outcomes: string,
): string => `json_build_object('projectId', o.project_id, 'provider', coalesce(n.provider, k.provider, ''),
  'integrationId', o.integration_id, 'integrationName', coalesce(n.name, ''), 'installationId', o.installation_id,
  'groupRef', coalesce(${groupRef}, ''), 'groupName', coalesce(g.group_name, ''), 'connectionId', o.connection_id,
  'consumerRef', coalesce(${consumerRef}, ''), 'consumerName', coalesce(u.consumer_name, ''), 'objectName', o.object_name,
  'operationId', o.id, 'status', case o.state when 'succeeded' then 'success' else 'failure' end,
  'success', o.state = 'succeeded' and o.records_failed = 0, 'recordsSucceeded', o.records_succeeded,
  'recordsFailed', o.records_failed, 'successfulRecordIds', array(
    select e.provider_id from ${outcomes} e where e.project_id = o.project_id and e.operation_id = o.id
      and e.outcome = 'succeeded' and e.provider_id is not null order by e.record_index),
  'errors', array(
    select format('%s: %s of %s records', coalesce(e.error_class, 'unknown'), count(*), o.records_total) from ${outcomes} e
    where e.project_id = o.project_id and e.operation_id = o.id and e.outcome in ('failed', 'unknown')
    group by e.error_class order by 1), 'problems', array(
    select json_strip_nulls(json_build_object('field', p.field, 'providerField', p."providerField", 'code', p.code,
      'records', count(distinct e.record_index)))
    from ${outcomes} e cross join lateral json_to_recordset(e.problems::json) as p (field text, "providerField" text, code text)
    where e.project_id = o.project_id and e.operation_id = o.id and e.problems is not null
    group by p.field, p."providerField", p.code order by count(distinct e.record_index) desc, p.field, p.code limit ${problemsShown}))`;

/** What `operationEventSql` needs of an operation `o`, beside its key and how it ended. */
export const operationEventColumns = `o.mode, o.integration_id, o.installation_id, o.connection_id, o.object_name, o.records_total,
  o.records_succeeded, o.records_failed`;

/**
 * SQL: messages that operations have ended. A body is made once, however many endpoints get it.
 * @param ended SQL of the operations as they ended, with `event_id`
 * @param outcomes SQL of their rows of `record_outcomes`
 */
export const operationEventSql = (ended: string, outcomes: string): string => `
  insert into webhook_messages (project_id, endpoint_id, id, type, payload)
  select e.project_id, e.id, o.event_id, 'write.async.done', o.payload
  from (
    select o.project_id, o.event_id, ${payloadSql('o.event_id', `'write.async.done'`, operationData(outcomes))} as payload
    from ${ended} o
    left join installations i on i.project_id = o.project_id and i.id = o.installation_id
    left join deleted_installations d on d.project_id = o.project_id and d.id = o.installation_id
    left join integrations n on n.project_id = o.project_id and n.id = o.integration_id
    left join connections k on k.project_id = o.project_id and k.id = o.connection_id
    left join groups g on g.project_id = o.project_id and g.group_ref = ${groupRef}
    left join consumers u on u.project_id = o.project_id and u.consumer_ref = ${consumerRef}
    where ${isAwaitedSql} offset 0) o
  join webhook_endpoints e on ${awaitsEndSql}`;

/** Messages of one statement at most, far from the limit of a statement: as where they are given up or deleted. */
const messagesPerStatement = 1_000;
export const operationsPerStatement = Math.floor(messagesPerStatement / webhookEndpointsMax);

const notifiedProjects = new Set<string>();
/** Of 36 bytes each. Beyond it the set begins anew, which costs each project one transaction. */
const notifiedProjectsMax = 10_000;

/**
 * This process has notified endpoints of the project before. The ends of its operations then go through the statement that writes notifications too,
 * which costs more. It decides nothing else: `settleTogether` notifies the projects that are not in this set.
 */
export const isNotified = (projectId: string): boolean => notifiedProjects.has(projectId);

/**
 * Notifies of operations that this transaction has ended: `write.async.done`. Statements of their own, because they read their outcome,
 * each of so many operations that it is bounded: what ends many (a deletion) does so in one transaction.
 */
export async function notifyEnded(transaction: Knex.Transaction, ended: readonly EndedKey[]): Promise<void> {
  if (notifiedProjects.size > notifiedProjectsMax) notifiedProjects.clear();
  for (const { projectId } of ended) notifiedProjects.add(projectId);
  for (let from = 0; from < ended.length; from += operationsPerStatement) {
    const input = rowSource('t', columns, ended.slice(from, from + operationsPerStatement));
    const operations = `(select t.event_id, o.* from ${input.sql} join operations o on o.project_id = t.project_id and o.id = t.operation_id)`;
    await transaction.raw(operationEventSql(operations, 'record_outcomes'), input.bindings as Knex.Value[]);
  }
}
