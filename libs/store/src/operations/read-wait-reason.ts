import type { HeldConnection, LastFailure } from '@sluice/types';
import type { Knex } from 'knex';
import { hiddenFromPlanner } from '../row-source';
import { momentSql, optional, plain, table, type StoredRow } from '../table';

const standing = table({
  installationId: plain('installation_id'),
  groupRef: optional(plain('group_ref')),
  groupName: optional(plain('group_name')),
  integrationName: optional(plain('integration_name')),
  held: optional(plain<HeldConnection>('held')),
  lastFailure: optional(plain<LastFailure>('last_failure')),
});

/** Whose an operation is, and what keeps it from being written. */
export type OperationStanding = ReturnType<typeof standing.read>;

/** By keys alone: the rows of one operation, its installation and its connection. Undefined: the project has no such operation. */
export async function readWaitReason(
  database: Knex,
  projectId: string,
  operationId: string,
): Promise<OperationStanding | undefined> {
  const { rows } = await database.raw<{ rows: StoredRow[] }>(standingSql, { projectId, operationId });
  return standing.first(rows);
}

/** Of the calls that wait for their next attempt the one that was tried last. Reads how attempts ended, and of no record. */
const lastFailureSql = `
  select json_strip_nulls(json_build_object('class', a.error_class, 'status', a.status, 'time', ${momentSql('a.finished_at')})) as last_failure
  from calls c cross join lateral (
    select error_class, status, finished_at from attempts
    where project_id = c.project_id and operation_id = c.operation_id and call_number = c.number order by fence desc limit 1) a
  where c.project_id = o.project_id and c.operation_id = o.id and c.state = ${hiddenFromPlanner('ready')} and c.not_before > now()
    and a.error_class is not null and a.finished_at is not null
  order by a.finished_at desc limit 1`;

const standingSql = `
  select o.installation_id, coalesce(n.group_ref, d.group_ref) as group_ref, nullif(g.group_name, '') as group_name, i.name as integration_name, f.last_failure,
         case when o.state in ('accumulating', 'queued') and k.status = 'bad_credentials' then json_strip_nulls(json_build_object(
           'connectionId', k.id, 'provider', k.provider, 'groupRef', k.group_ref, 'authScheme', k.auth_scheme,
           'since', ${momentSql('coalesce(k.updated_at, k.created_at)')}, 'installationId', n.id,
           'firstExpireTime', (select ${momentSql('min(c.deadline)')} from calls c where c.project_id = o.project_id and c.operation_id = o.id
             and c.state in ('ready', 'in_doubt', 'waiting')))) end as held
  from operations o
  left join installations n on n.project_id = o.project_id and n.id = o.installation_id
  left join deleted_installations d on d.project_id = o.project_id and d.id = o.installation_id
  left join groups g on g.project_id = o.project_id and g.group_ref = coalesce(n.group_ref, d.group_ref)
  left join integrations i on i.project_id = o.project_id and i.id = o.integration_id
  left join connections k on k.project_id = o.project_id and k.id = o.connection_id
  left join lateral (${lastFailureSql}) f on o.state = 'queued'
  where o.project_id = :projectId and o.id = :operationId`;
