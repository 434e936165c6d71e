import type { BoundedPage, OpenKind, Operation, OperationCounts, Page } from '@sluice/types';
import type { Knex } from 'knex';
import { byKeySql } from '../connections/connection-row';
import type { StoredRow } from '../table';
import { isHeldSql, isMoreSql, openCallsSql, openReadMax, standingSql } from './count-open-records';
import { withGroups } from './describe-listed';
import { earlier, fitting, installationsMax, installationsOf, searched } from './find-operations';
import type { OperationSearch, TooManyInstallations } from './find-operations';
import { clockSlackMs, conditions, firstIdAt } from './list-operations';
import { operationColumns, toOperation } from './operation-row';

export interface OpenSearch extends OperationSearch {
  readonly open: OpenKind;
}

export interface OpenPage extends BoundedPage<Operation> {
  /** Of all pages. At least so many where not all that is open was read. */
  readonly counts: OperationCounts;
}

type OpenRow = StoredRow & { readonly id: string | null; readonly found: number; readonly is_more: boolean };

/**
 * Operations whose records the overview counts as waiting, filling or held, newest first: found where it counts them, among as many calls and batches,
 * so one that waits since days costs no more than a new one. An operation of which one call is sent while its account is blocked is of two kinds.
 */
export async function findOpen(
  database: Knex,
  projectId: string,
  { open, ...search }: OpenSearch,
  { size, after, max = openReadMax }: Page & { readonly max?: number },
): Promise<OpenPage | TooManyInstallations> {
  const within = await installationsOf(database, projectId, search);
  if (within !== undefined && within.length > installationsMax) return 'too-many-installations';
  const fromId = search.since && firstIdAt(search.since.getTime() - clockSlackMs);
  const untilId = search.until && firstIdAt(search.until.getTime());
  const beforeId = earlier(after, untilId);
  const bindings = { projectId, ...search, within, fromId, untilId, beforeId, limit: size + 1, max };
  const narrowed = [
    within === undefined ? '' : ' and o.installation_id = any(:within::text[])',
    untilId === undefined ? '' : ' and o.id < :untilId',
    conditions(search),
    searched(search),
  ].join('');
  const { rows } = await database.raw<{ rows: OpenRow[] }>(
    openSql(open, narrowed, beforeId === undefined ? '' : 'where f.id < :beforeId'),
    bindings as never,
  );
  const operations = rows.filter(({ id }) => id !== null).map(toOperation);
  const items = fitting(await withGroups(database, projectId, operations), size);
  const lastId = items.length < operations.length ? items.at(-1)?.id : undefined;
  const { found: inProgress = 0, is_more: isAtLeast = false } = rows[0] ?? {};
  const counts = { inProgress, success: 0, partial: 0, failure: 0, isAtLeast };
  return { items, counts, ...(lastId === undefined ? {} : { lastId }) };
}

const ofCalls = (isHeld: boolean): string => `
  select c.operation_id from open c join (
    select s.lane_id, s.connection_id, ${isHeldSql} as is_held from (select distinct lane_id, connection_id from open) s ${standingSql}) h
  on h.lane_id = c.lane_id and h.connection_id is not distinct from c.connection_id
  where (c.state <> 'running' and h.is_held) = ${isHeld}`;

/** Ids of the operations, and whether there may be more. */
const sources: Readonly<Record<OpenKind, string>> = {
  held: `open as materialized (${openCallsSql}), ids as (${ofCalls(true)}), more as (select ${isMoreSql} as is_more)`,
  waiting: `open as materialized (${openCallsSql}),
    closed as materialized (select operation_id from closed_batches where project_id = :projectId limit :max::integer),
    ids as (${ofCalls(false)} union all select operation_id from closed),
    more as (select ${isMoreSql} or (select count(*) from closed) >= :max as is_more)`,
  filling: `ids as materialized (select operation_id from open_batches where project_id = :projectId and is_open limit :max::integer),
    more as (select (select count(*) from ids) >= :max as is_more)`,
};

const byId = (id: string): string => byKeySql('operations', 'o', { project_id: ':projectId', id });

const openSql = (kind: OpenKind, narrowed: string, isAfter: string): string => `
  with ${sources[kind]},
  found as materialized (
    select o.id from (select distinct operation_id from ids) d cross join ${byId('d.operation_id')}
    where o.state in ('accumulating', 'queued')${narrowed}),
  near as materialized (select f.id from found f ${isAfter} order by f.id desc limit :limit),
  page as materialized (select o.* from near n cross join ${byId('n.id')})
  select (select count(*) from found)::integer as found, m.is_more, o.* from more m
  left join (select ${operationColumns} from page o) o on true order by o.id desc`;
