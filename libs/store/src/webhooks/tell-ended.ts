import { filtersFor, webhookEndpointsMax } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';
import { column, rowSource, type Column } from '../row-source';
import { asksSql, endpointsSql, payloadSql } from './tell-events';

/** Names an operation that this transaction has ended. */
export interface EndedKey {
  readonly projectId: string;
  readonly operationId: string;
}

/**
 * SQL that says whether anybody asks what became of an operation `o`: one look at the endpoints' key, so a settlement of a project
 * without endpoints pays nothing else. A synchronous write told its caller.
 */
export const isAwaitedSql = `(o.mode <> 'synchronous' and exists (select 1 from webhook_endpoints e where e.project_id = o.project_id))`;

type Ended = EndedKey & { readonly eventId: string };
const columns: Column<Ended>[] = [
  column('project_id', 'text', (ended) => ended.projectId),
  column('operation_id', 'text', (ended) => ended.operationId),
  column('event_id', 'text', (ended) => ended.eventId),
];

const groupRef = 'coalesce(i.group_ref, d.group_ref, k.group_ref)';
const consumerRef = 'coalesce(k.consumer_ref, case when o.connection_id = d.connection_id then d.consumer_ref end)';

/**
 * The published members: who it was for, `objectName`, `success` (every record was written), the written records' ids, and `errors`. Ours
 * besides: `operationId`, `status` as get-operation says it, and counts. An error is a class with how many records it hit; the
 * provider's words stand with the records.
 */
const data = `json_build_object('projectId', o.project_id, 'provider', coalesce(n.provider, k.provider, ''),
  'integrationId', o.integration_id, 'integrationName', coalesce(n.name, ''), 'installationId', o.installation_id,
  'groupRef', coalesce(${groupRef}, ''), 'groupName', coalesce(g.group_name, ''), 'connectionId', o.connection_id,
  'consumerRef', coalesce(${consumerRef}, ''), 'consumerName', coalesce(u.consumer_name, ''), 'objectName', o.object_name,
  'operationId', o.id, 'status', case o.state when 'succeeded' then 'success' else 'failure' end,
  'success', o.state = 'succeeded' and o.records_failed = 0, 'recordsSucceeded', o.records_succeeded,
  'recordsFailed', o.records_failed, 'successfulRecordIds', array(
    select r.provider_id from records r where r.project_id = o.project_id and r.operation_id = o.id
      and r.outcome = 'succeeded' and r.provider_id is not null order by r.record_index),
  'errors', array(
    select format('%s: %s of %s records', coalesce(r.error_class, 'unknown'), count(*), o.records_total) from records r
    where r.project_id = o.project_id and r.operation_id = o.id and r.outcome in ('failed', 'unknown')
    group by r.error_class order by 1))`;

const joins = `join operations o on o.project_id = t.project_id and o.id = t.operation_id
  left join installations i on i.project_id = o.project_id and i.id = o.installation_id
  left join deleted_installations d on d.project_id = o.project_id and d.id = o.installation_id
  left join integrations n on n.project_id = o.project_id and n.id = o.integration_id
  left join connections k on k.project_id = o.project_id and k.id = o.connection_id
  left join groups g on g.project_id = o.project_id and g.group_ref = ${groupRef}
  left join consumers u on u.project_id = o.project_id and u.consumer_ref = ${consumerRef}`;

/** Messages of one statement at most, as in the rounds of who gives up or deletes them: far from the limit of a statement. */
const messagesPerStatement = 1_000;
const operationsPerStatement = Math.floor(messagesPerStatement / webhookEndpointsMax);

/**
 * Tells of operations that this transaction has ended: `write.async.done`. Statements of their own, because they read their outcome,
 * each of so many operations that it is bounded whoever asks: what ends many (a deletion) does so in one transaction.
 */
export async function tellEnded(transaction: Knex.Transaction, ended: readonly EndedKey[]): Promise<void> {
  for (let from = 0; from < ended.length; from += operationsPerStatement) {
    const some = ended.slice(from, from + operationsPerStatement);
    await tellSome(
      transaction,
      some.map((key) => ({ ...key, eventId: newId() })),
    );
  }
}

/** A body is made once, however many endpoints get it. */
async function tellSome(transaction: Knex.Transaction, ended: readonly Ended[]): Promise<void> {
  const input = rowSource('t', columns, ended);
  const filters = [...filtersFor('write.async.done')];
  await transaction.raw(
    `with told as materialized (
       select o.project_id, t.event_id, ${payloadSql('t.event_id', `'write.async.done'`, data)} as payload from ${input.sql} ${joins}
       where exists (select 1 from webhook_endpoints e where ${asksSql('o.project_id', '?::text[]')}))
     insert into webhook_messages (project_id, endpoint_id, id, type, payload)
     select e.project_id, e.id, told.event_id, 'write.async.done', told.payload
     from told join ${endpointsSql('told.project_id', '?::text[]')}`,
    [...input.bindings, filters, filters] as Knex.Value[],
  );
}
