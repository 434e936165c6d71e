import type { Knex } from 'knex';
import { byKeySql } from '../connections/connection-row';

/** Records of a project that are accepted and have no outcome at this moment. */
export interface OpenRecords {
  /** In auto-batches that take further records. */
  readonly filling: number;
  /** Of calls of a refused connection, or of an account that its provider blocks. */
  readonly held: number;
  /** The others: to be sent, being sent, to be tried again, to be looked up, or behind an earlier write to their record. */
  readonly waiting: number;
  /** More is open than one count reads: the three numbers are the least. */
  readonly isMore: boolean;
}

/**
 * Calls of a state, and batches, that one count reads. Our choice: how many records a call has stands in its row and in that of its operation. 4,000
 * took 119 to 173 ms of a core, and 1,500 of as many lanes 67 to 71, beside a million that have ended (Postgres 18, 2026-11-30).
 */
export const openReadMax = 1_500;

/** Read from the indexes of what is open, so it costs the same however much has ended. One statement, so that nothing is counted twice. */
export async function countOpenRecords(database: Knex, projectId: string, max = openReadMax): Promise<OpenRecords> {
  const { rows } = await database.raw<{ rows: [OpenRecords] }>(countSql, { projectId, max });
  return rows[0];
}

/** Each with the predicate and the order of its index. */
const states = [
  [`c.state in ('ready', 'in_doubt')`, 'c.lane_id, c.connection_id'],
  [`c.state = 'waiting'`, 'c.lane_id, c.operation_id, c.number'],
  [`c.state = 'running' and c.mode <> 'synchronous'`, 'c.lane_id, c.lease_until'],
  [`c.state = 'running' and c.mode = 'synchronous'`, 'c.lane_id'],
] as const;
/** SQL: the calls of the project that are not done, so many of each source at most. */
export const openCallsSql = states
  .map(
    (
      [state, order],
      at,
    ) => `(select ${at} as source, c.lane_id, c.connection_id, c.operation_id, c.members, c.state from calls c
      where c.project_id = :projectId and ${state} order by ${order} limit :max::integer)`,
  )
  .join(' union all ');

/** A lookup for each: a join would read the tables whole. */
const operationSql = byKeySql('operations', 'o', { project_id: ':projectId', id: 'c.operation_id' });
const connectionSql = byKeySql('connections', 'k', { project_id: ':projectId', id: 's.connection_id' });
const laneSql = byKeySql('lanes', 'l', { project_id: ':projectId', id: 's.lane_id' });
/** Joins to rows `s` of a lane and a connection what `isHeldSql` asks. */
export const standingSql = `left join ${connectionSql} on true left join ${laneSql} on true`;
export const isHeldSql = `(k.status = 'bad_credentials' or l.blocked_until > now()) is true`;
export const isMoreSql = 'exists (select 1 from open group by source having count(*) >= :max)';

const countSql = `
  with open as materialized (${openCallsSql}),
  sized as materialized (
    select c.lane_id, c.connection_id, c.state, sum(coalesce(cardinality(c.members), o.records_total)) as records
    from open c left join ${operationSql} on true group by 1, 2, 3),
  called as (
    select s.records, s.state <> 'running' and ${isHeldSql} as is_held from sized s ${standingSql}),
  filling as (select count(*) as batches, coalesce(sum(b.records), 0) as records from (
    select records from open_batches where project_id = :projectId and is_open limit :max::integer) b),
  closed as (select count(*) as batches, coalesce(sum(b.records), 0) as records from (
    select records from closed_batches where project_id = :projectId limit :max::integer) b)
  select f.records::integer as filling, (select coalesce(sum(records) filter (where is_held), 0) from called)::integer as held,
    (b.records + (select coalesce(sum(records) filter (where not is_held), 0) from called))::integer as waiting,
    f.batches >= :max or b.batches >= :max or ${isMoreSql} as "isMore"
  from filling f cross join closed b`;
