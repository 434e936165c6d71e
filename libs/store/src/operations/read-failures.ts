import { generalSentence, problemTextCharactersMax, type OverviewFailures } from '@sluice/types';
import type { Knex } from 'knex';
import { momentSql } from '../table';
import { clockSlackMs, firstIdAt } from './list-operations';
import { problemsSql } from './operation-row';

/** What is read at most, and how many of each kind are named. */
export interface FailureBounds {
  /** Newest operations of the span, among which those are found of which only a part failed: no index has them. */
  readonly operationsMax: number;
  /** Newest failed records. The last operation is read whole. */
  readonly recordsMax: number;
}

/** Our choice: as many operations as a search reads; together some 60 ms. */
const usual: FailureBounds = { operationsMax: 20_000, recordsMax: 1_000 };
const shown = 5;

/**
 * Of operations accepted since a moment: who and what most of the newest failed records have. Operations that failed whole are found by their index,
 * others among the newest of the span. What a record has twice counts once.
 */
export async function readFailures(
  database: Knex,
  projectId: string,
  since: Date,
  bounds: FailureBounds = usual,
): Promise<OverviewFailures> {
  const fromId = firstIdAt(since.getTime() - clockSlackMs);
  const bindings = { projectId, since, fromId, shown, ...bounds };
  const { rows } = await database.raw<{ rows: [FailuresRow] }>(failuresSql, bindings);
  const { completeSince, problems, ...failures } = rows[0];
  return { ...failures, problems: problems.map(toProblem), ...(completeSince !== null && { completeSince }) };
}

type Problem = OverviewFailures['problems'][number];

interface FailuresRow extends Omit<OverviewFailures, 'completeSince' | 'problems'> {
  readonly completeSince: string | null;
  /** With the least of their sentences. */
  readonly problems: readonly (Problem & { readonly least: string })[];
}

/** Two sentences that differ as much as two of the records' can, of many, show what all have. Without field and code the sentence finds the operations. */
function toProblem({ least, ...problem }: FailuresRow['problems'][number]): Problem {
  const { message, field, code } = problem;
  const isOfSentence = (field === undefined && code === undefined) || message === least;
  return isOfSentence ? problem : { ...problem, message: generalSentence([message, least], code) };
}

const columns = 'o.id, o.installation_id, o.created_at, o.records_failed';
const ofSpan = 'o.id >= :fromId and o.created_at >= :since';

/** A group has at most one name, and its installation may be deleted. */
const customersSql = `
  select g.group_ref as "groupRef", nullif(n.group_name, g.group_ref) as "groupName", g.records from (
    select coalesce(i.group_ref, d.group_ref) as group_ref, sum(f.records)::integer as records
    from (select installation_id, count(*) as records from failed group by 1) f
    left join installations i on i.project_id = :projectId and i.id = f.installation_id
    left join deleted_installations d on d.project_id = :projectId and d.id = f.installation_id
    where coalesce(i.group_ref, d.group_ref) is not null group by 1) g
  left join groups n on n.project_id = :projectId and n.group_ref = g.group_ref
  order by g.records desc, 1 limit :shown`;

/** By code and field; by the beginning of the sentence where the provider gives neither, as operations are found by it. With the first and the last of their sentences. */
const kindsSql = `
  select p.code, p.field, coalesce(max(p.message collate "C"), '') as message, coalesce(min(p.message collate "C"), '') as least, count(*)::integer as records,
    count(distinct p.installation_id)::integer as customers
  from (select distinct on (f.id, f.record_index, p.code, p.field, b.sentence) f.id, f.installation_id, p.code, p.field, b.sentence, p.message
    from failed f cross join lateral json_to_recordset(f.problems) as p (field text, code text, message text)
    cross join lateral (select case when p.code is null and p.field is null then left(p.message, ${problemTextCharactersMax}) end as sentence) b) p
  group by p.code, p.field, p.sentence order by records desc, 1, 2, 3 limit :shown`;

const listOf = (select: string): string =>
  `(select coalesce(json_agg(json_strip_nulls(to_json(t))), '[]') from (${select}) t)`;

const failuresSql = `
  with newest as materialized (select ${columns} from operations o where o.project_id = :projectId and ${ofSpan} order by o.id desc limit :operationsMax::integer),
  whole as materialized (
    select ${columns} from operations o where o.project_id = :projectId and ${ofSpan} and o.failed_at is not null order by o.id desc limit :recordsMax::integer),
  counted as materialized (
    select o.*, sum(o.records_failed) over (order by o.id desc) - o.records_failed as newer
    from (select * from newest union select * from whole) o where o.records_failed > 0),
  read as materialized (select * from counted where newer < :recordsMax::integer),
  edge as (select greatest(
    (select min(created_at) from newest having count(*) >= :operationsMax::integer),
    (select min(created_at) from read where exists (select 1 from counted where newer >= :recordsMax::integer)
       or (select count(*) from whole) >= :recordsMax::integer)) as at),
  failed as materialized (
    select r.id, r.installation_id, e.record_index, ${problemsSql} as problems from read r cross join lateral (
      select x.record_index, x.problems, x.error_text from record_outcomes x
      where x.project_id = :projectId and x.operation_id = r.id and x.outcome in ('failed', 'unknown')) e)
  select (select count(*)::integer from failed) as records, ${momentSql('edge.at')} as "completeSince",
    ${listOf(customersSql)} as customers, ${listOf(kindsSql)} as problems from edge`;
