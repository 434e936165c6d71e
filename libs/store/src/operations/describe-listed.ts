import type { Operation, OperationWait } from '@sluice/types';
import type { Knex } from 'knex';
import { hiddenFromPlanner } from '../row-source';
import { momentSql } from '../table';

type GroupRow = { readonly id: string; readonly group_ref: string; readonly group_name: string | null };
type WaitRow = { readonly id: string; readonly waiting: OperationWait | null };

/** The operations of a page, with their groups and what those in progress wait for. */
export async function withGroups(
  database: Knex,
  projectId: string,
  operations: readonly Operation[],
): Promise<Operation[]> {
  const ids = [...new Set(operations.map(({ installationId }) => installationId))];
  if (ids.length === 0) return [];
  const waiting = operations.filter(({ status }) => status === 'in_progress').map(({ id }) => id);
  const [groups, waits] = await Promise.all([
    database.raw<{ rows: GroupRow[] }>(groupsSql, { projectId, ids } as never),
    waiting.length === 0 ? { rows: [] } : database.raw<{ rows: WaitRow[] }>(waitsSql, { projectId, waiting } as never),
  ]);
  const groupOf = new Map(groups.rows.map((row) => [row.id, row]));
  const waitOf = new Map(waits.rows.map((row) => [row.id, row.waiting]));
  return operations.map((operation) => {
    const group = groupOf.get(operation.installationId);
    const wait = waitOf.get(operation.id) ?? undefined;
    const { group_ref: groupRef, group_name: groupName } = group ?? {};
    return {
      ...operation,
      ...(groupRef === undefined ? {} : { groupRef }),
      ...(groupName === undefined || groupName === null ? {} : { groupName }),
      ...(wait === undefined ? {} : { waiting: wait }),
    };
  });
}

/** By key, of the installations that are there and of those that were deleted. */
const groupsSql = `
  select n.id, n.group_ref, g.group_name from (
    select id, group_ref from deleted_installations where project_id = :projectId and id = any(:ids::text[])
    union all select id, group_ref from installations where project_id = :projectId and id = any(:ids::text[])) n
  left join groups g on g.project_id = :projectId and g.group_ref = n.group_ref`;

/** Failures that are the provider's and not the account's or the record's. */
const isOutage = `f.error_class in ('unavailable', 'timeout', 'unknown')`;

/** How the call that is tried next failed. */
const failureSql = `
  select a.error_class, a.status from calls c cross join lateral (
    select error_class, status from attempts
    where project_id = c.project_id and operation_id = c.operation_id and call_number = c.number order by fence desc limit 1) a
  where c.project_id = o.project_id and c.operation_id = o.id and c.state = ${hiddenFromPlanner('ready')} and c.not_before > now()
  order by c.not_before limit 1`;

const ofState = (name: string, condition: string): string => `bool_or(c.state = ${condition}) as ${name}`;

/** By keys alone: of each operation its calls, at most one a record but for halves, its connection, its lane and its open batch. */
const waitsSql = `
  select o.id, jsonb_strip_nulls((case
    when o.state = 'queued' and c.is_running then null
    when k.status = 'bad_credentials' then json_build_object(
      'reason', 'credentials', 'since', ${momentSql('coalesce(k.updated_at, k.created_at)')})
    when o.state = 'accumulating' then json_build_object('reason', 'batch', 'until', ${momentSql('o.due_at')}, 'records', b.records)
    when l.blocked_until > now() then json_build_object('reason', 'block', 'until', ${momentSql('l.blocked_until')})
    when c.is_ready then json_build_object('reason', 'turn')
    when c.in_doubt then json_build_object('reason', 'lookup')
    when c.next_at is not null then json_build_object('reason', case when ${isOutage} then 'provider' else 'retry' end, 'until', ${momentSql('c.next_at')}, 'status', f.status)
    when c.is_behind then json_build_object('reason', 'order') end)::jsonb || jsonb_build_object('laneId', l.id, 'provider', l.provider)) as waiting
  from operations o
  join lanes l on l.project_id = o.project_id and l.id = o.lane_id
  left join connections k on k.project_id = o.project_id and k.id = o.connection_id
  left join open_batches b on b.project_id = o.project_id and b.installation_id = o.installation_id and b.object_name = o.object_name
    and b.type = o.type and b.operation_id = o.id and b.is_open
  cross join lateral (
    select ${ofState('is_running', "'running'")}, ${ofState('is_ready', "'ready' and c.not_before <= now()")},
           ${ofState('in_doubt', "'in_doubt'")}, ${ofState('is_behind', "'waiting'")},
           min(c.not_before) filter (where c.state = 'ready' and c.not_before > now()) as next_at
    from calls c where c.project_id = o.project_id and c.operation_id = o.id) c
  left join lateral (${failureSql}) f on c.next_at is not null
  where o.project_id = :projectId and o.id = any(:waiting::text[])`;
