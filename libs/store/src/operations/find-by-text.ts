import { foundGroupsMax, limits, type FoundBy, type Operation } from '@sluice/types';
import type { Knex } from 'knex';
import { findGroupsNamed, type NamedGroup } from '../connections/connection-store';
import type { StoredRow } from '../table';
import { withGroups } from './describe-listed';
import { earlier, fitting, installationsMax, installationsOf, scan, searched } from './find-operations';
import type { OperationSearch } from './find-operations';
import { clockSlackMs, conditions, firstIdAt } from './list-operations';
import { operationColumns, toOperation } from './operation-row';

/** A text, and what the operations that it names must be besides. */
export interface TextSearch extends Omit<OperationSearch, 'groupRefPrefix' | 'recordRef' | 'recordId'> {
  readonly text: string;
}

/**
 * How far the two sources of a search were read, each an id before which it goes on: operations that the text names by their id or their group, and those
 * that it names by a record. They are apart because an index finds the first, and the second are read one after another.
 */
export interface TextPosition {
  readonly named: string;
  readonly records: string;
}

/** After and before every id. */
const start = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const end = '00000000-0000-0000-0000-000000000000';

/**
 * Records that one search reads, and the others of its last operation. Measured beside a million operations: 27 to 55 ms of a core, the search among
 * 100,000 groups included (Postgres 18, 2026-11-30).
 * No index finds a record by its ref, because every accept would pay for it.
 */
export const textRecordsMax = 20_000;

export interface FoundByText {
  readonly items: readonly Operation[];
  /** Absent: everything was searched. */
  readonly next?: TextPosition;
  readonly groups: readonly NamedGroup[];
  readonly hasMoreGroups: boolean;
  /** Every record from this operation on was read, and none of an older one. Absent: all were. */
  readonly recordsSearchedToId?: string;
}

/** What one source gave: newest first, one more than fits where there are so many. */
interface Source {
  readonly operations: readonly Operation[];
  /** Everything from here on was read, and something older was not. */
  readonly searchedToId?: string;
}

/** Operations that the text names, newest first. A page may have fewer than its size, and none, and still another one. */
export async function findByText(
  database: Knex,
  projectId: string,
  search: TextSearch,
  { size, after = { named: start, records: start } }: { readonly size: number; readonly after?: TextPosition },
): Promise<FoundByText> {
  const [found, within] = await Promise.all([
    findGroupsNamed(database, projectId, {
      text: search.text,
      limit: foundGroupsMax + 1,
      only: search.groupRef ?? null,
    }),
    installationsOf(database, projectId, search),
  ]);
  const groups = found.slice(0, foundGroupsMax);
  const until = search.until && firstIdAt(search.until.getTime());
  const from = (id: string) => ({ size, beforeId: earlier(id, until) ?? id });
  const [named, byRecord] = await Promise.all([
    after.named === end ? nothing : findNamed(database, projectId, search, { ...from(after.named), within, groups }),
    after.records === end ? nothing : findByRecord(database, projectId, search, { ...from(after.records), within }),
  ]);
  const merged = merge(named.operations, byRecord.operations);
  const items = fitting(await withGroups(database, projectId, merged), size);
  const lastId = items.length < merged.length ? items.at(-1)?.id : undefined;
  const next = { named: goesOnAt(named, lastId), records: goesOnAt(byRecord, lastId) };
  const isLast = next.named === end && next.records === end;
  return {
    items,
    ...(isLast ? {} : { next }),
    groups,
    hasMoreGroups: found.length > groups.length,
    ...(byRecord.searchedToId === undefined ? {} : { recordsSearchedToId: byRecord.searchedToId }),
  };
}

const nothing: Source = { operations: [] };

/** Newest first; one that both have once, with how each found it. */
function merge(some: readonly Operation[], others: readonly Operation[]): Operation[] {
  const byId = new Map(some.map((operation) => [operation.id, operation]));
  for (const operation of others) {
    const known = byId.get(operation.id)?.foundBy ?? [];
    byId.set(operation.id, { ...operation, foundBy: [...known, ...(operation.foundBy ?? [])] });
  }
  return [...byId.values()].toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

/** @param lastId of the page; what is older was found and is not on it */
function goesOnAt({ operations, searchedToId }: Source, lastId: string | undefined): string {
  const isCut = lastId !== undefined && operations.some(({ id }) => id < lastId);
  return isCut ? lastId : (searchedToId ?? end);
}

interface Range {
  readonly size: number;
  readonly beforeId: string;
  /** The installations in question. Undefined: all, also deleted ones. */
  readonly within: readonly string[] | undefined;
}

/** By the id or its beginning, and of the groups. */
async function findNamed(
  database: Knex,
  projectId: string,
  search: TextSearch,
  { groups, ...range }: Range & { readonly groups: readonly NamedGroup[] },
): Promise<Source> {
  const [byId, { operations, searchedToId }] = await Promise.all([
    findById(database, projectId, search, range),
    findOfGroups(database, projectId, search, { ...range, groups }),
  ]);
  const read = byId.filter(({ id }) => searchedToId === undefined || id >= searchedToId);
  const merged = merge(marked(read, 'operation'), marked(operations, 'group')).slice(0, range.size + 1);
  return { operations: merged, ...(searchedToId === undefined ? {} : { searchedToId }) };
}

const marked = (operations: readonly Operation[], by: FoundBy): Operation[] =>
  operations.map((operation) => ({ ...operation, foundBy: [by] }));

async function findOfGroups(
  database: Knex,
  projectId: string,
  search: TextSearch,
  { groups, within, ...page }: Range & { readonly groups: readonly NamedGroup[] },
): Promise<Source> {
  if (groups.length === 0) return nothing;
  const query = database('installations')
    .where({ project_id: projectId })
    .whereIn(
      'group_ref',
      groups.map(({ groupRef }) => groupRef),
    )
    .limit(installationsMax);
  if (within !== undefined) void query.whereIn('id', within);
  const ids = (await query.select<{ id: string }[]>('id')).map(({ id }) => id);
  const { text: _text, ...filter } = search;
  return await scan(database, projectId, filter, { ...page, ids });
}

const idForm = 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';
const shortIdCharacters = 8;

/** Whether the text is an id, or its beginning. A shorter one would name the operations of hours. */
function beginsId(text: string): boolean {
  if (text.length < shortIdCharacters || text.length > idForm.length) return false;
  return /^[\da-f-]+$/.test(text) && text.replaceAll(/[\da-f]/g, 'x') === idForm.slice(0, text.length);
}

async function findById(database: Knex, projectId: string, search: TextSearch, range: Range): Promise<Operation[]> {
  const text = search.text.toLowerCase();
  if (!beginsId(text)) return [];
  const bindings = {
    ...bindingsOf(projectId, search, range),
    firstId: text + end.slice(text.length),
    lastId: text + start.slice(text.length),
  };
  const { rows } = await database.raw<{ rows: StoredRow[] }>(
    `with page as materialized (
       select o.* from operations o where o.project_id = :projectId and o.id >= :firstId and o.id <= :lastId and o.id < :beforeId${narrowed(search, range)}
       order by o.id desc limit :limit)
     select ${operationColumns} from page o order by o.id desc`,
    bindings as never,
  );
  return rows.map(toOperation);
}

type RecordRow = StoredRow & { readonly edge: string | null; readonly id: string | null; readonly kinds: FoundBy[] };

/** By the ref of a record, by its id at the provider, and by the end of the operation's id, as lists show it. */
async function findByRecord(database: Knex, projectId: string, search: TextSearch, range: Range): Promise<Source> {
  const bindings = {
    ...bindingsOf(projectId, search, range),
    wanted: search.text,
    tail: search.text.toLowerCase(),
    recordsMax: textRecordsMax,
    outcomesMax: textRecordsMax + limits.autoBatchRecordsMax,
  };
  const { rows } = await database.raw<{ rows: RecordRow[] }>(recordSql(search, range), bindings as never);
  const operations = rows.filter(({ id }) => id !== null).map((row) => ({ ...toOperation(row), foundBy: row.kinds }));
  const edge = rows[0]?.edge ?? undefined;
  return { operations, ...(edge === undefined ? {} : { searchedToId: edge }) };
}

function bindingsOf(
  projectId: string,
  { since, text: _text, ...search }: TextSearch,
  { size, beforeId, within }: Range,
) {
  const fromId = since && firstIdAt(since.getTime() - clockSlackMs);
  return { projectId, ...search, since, fromId, beforeId, within, limit: size + 1 };
}

function narrowed(search: TextSearch, { within }: Range): string {
  const ofInstallations = within === undefined ? '' : ' and o.installation_id = any(:within::text[])';
  return `${ofInstallations}${conditions(search)}${searched(search)}`;
}

const kind = (ids: string, name: FoundBy): string => `select unnest(n.${ids}) as id, '${name}' as kind from near n`;

/**
 * One pass over the newest records, whole operations of them, and one over their outcomes. A record has one outcome at most, so the limit of the second
 * cuts nothing: with it the planner reads the range by its index, and without it the whole table of a million.
 */
function recordSql(search: TextSearch, range: Range): string {
  const since = search.since === undefined ? '' : ' and r.operation_id >= :fromId';
  return `
    with near as materialized (
      select case when count(*) >= :recordsMax then min(r.operation_id) end as edge, coalesce(min(r.operation_id), '') as oldest,
        array_agg(r.operation_id) filter (where r.ref = :wanted) as by_ref,
        array_agg(r.operation_id) filter (where right(r.order_key, length(:wanted) + 1) = '/' || :wanted) as by_target,
        array_agg(r.operation_id) filter (where right(r.operation_id, ${shortIdCharacters}) = :tail) as by_tail
      from (select r.operation_id, r.ref, r.order_key from records r where r.project_id = :projectId and r.operation_id < :beforeId${since}
        order by r.operation_id desc fetch first :recordsMax rows with ties) r),
    found as materialized (
      ${kind('by_ref', 'recordRef')} union ${kind('by_target', 'recordId')} union ${kind('by_tail', 'operation')}
      union select e.operation_id, 'recordId' from near n cross join lateral (
        select e.operation_id, e.provider_ids from outcomes e
        where e.project_id = :projectId and e.operation_id >= n.oldest and e.operation_id < :beforeId
        order by e.operation_id desc limit :outcomesMax) e
      where (:wanted) = any(e.provider_ids)),
    page as materialized (
      select o.*, f.kinds from (select id, array_agg(kind order by kind) as kinds from found group by id) f
      join operations o on o.project_id = :projectId and o.id = f.id where true${narrowed(search, range)} order by o.id desc limit :limit)
    select n.edge, o.* from near n
    left join (select ${operationColumns}, o.kinds from page o) o on true order by o.id desc`;
}
