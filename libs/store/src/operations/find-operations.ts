import { firstWithin, limits, type BoundedPage, type Operation, type Page } from '@sluice/types';
import type { Knex } from 'knex';
import { clockSlackMs, conditions, firstIdAt, listOperations, type OperationFilter } from './list-operations';
import type { StoredRow } from '../table';
import { withGroups } from './describe-listed';
import { operationColumns, problemsSql, toOperation } from './operation-row';

/** Which operations are searched for. Absent members do not filter. */
export interface OperationSearch extends Omit<OperationFilter, 'beforeId' | 'limit'> {
  /** Of installations that exist now and whose group begins so. */
  readonly groupRefPrefix?: string;
  /** Only those of which a record failed, or is not known to be written. */
  readonly hasFailures?: boolean;
  /** Only those of which a record failed with a problem of this code of the provider. */
  readonly problemCode?: string;
  /** The same of this field, as the request named it. One problem has all that is asked for. */
  readonly problemField?: string;
  /** The same whose sentence begins so. Without a code and a field: one that has neither. */
  readonly problemText?: string;
  /** Only those that have a record with this reference of the caller. */
  readonly recordRef?: string;
  /** Only those that have a record with this id at the provider. */
  readonly recordId?: string;
  /** Accepted before this moment. */
  readonly until?: Date;
  /** Only those that failed as a whole, which an index has, or only the others. */
  readonly isFailed?: boolean;
}

/** More installations share the prefix than are searched at once. */
export type TooManyInstallations = 'too-many-installations';

/** Installations that are searched at once. Our choice: each costs a jump into the index. */
export const installationsMax = 200;

/**
 * The most rows that one search reads before it returns how far it came. No index finds an operation by its failures or its records, and none is
 * added, because every write would pay for it. Our choice: a fraction of a second, whatever the tables hold.
 */
const operationsReadMax = 20_000;
const recordsReadMax = 100_000;
/** Failed records whose problems are read: each is a list as JSON. */
export const failedRecordsReadMax = 20_000;

/**
 * Operations, newest first, each with the group of its installation. A page may have fewer than its size, and none: `lastId` then says how far
 * was searched.
 */
export async function findOperations(
  database: Knex,
  projectId: string,
  search: OperationSearch,
  { size, after }: Page,
): Promise<BoundedPage<Operation> | TooManyInstallations> {
  const beforeId = earlier(after, search.until && firstIdAt(search.until.getTime()));
  const {
    groupRefPrefix,
    hasFailures,
    problemCode,
    problemField,
    problemText,
    recordRef,
    recordId,
    until: _until,
    ...filter
  } = search;
  const scanned = [groupRefPrefix, problemCode, problemField, problemText, recordRef, recordId];
  const isScan = hasFailures === true || scanned.some((value) => value !== undefined);
  const found = isScan
    ? await searchBackwards(database, projectId, search, { size, beforeId })
    : { operations: await listOperations(database, projectId, { ...filter, beforeId, limit: size + 1 }) };
  if (found === 'too-many-installations') return found;
  const items = fitting(await withGroups(database, projectId, found.operations), size);
  const lastId = items.length < found.operations.length ? items.at(-1)?.id : found.searchedToId;
  return { items, ...(lastId === undefined ? {} : { lastId }) };
}

/** An operation that fills a page alone is on it all the same. */
export function fitting(operations: readonly Operation[], size: number): readonly Operation[] {
  const within = firstWithin(operations.slice(0, size), limits.pageBytesMax);
  return within.length === 0 ? operations.slice(0, 1) : within;
}

export function earlier(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other < one) ? other : one;
}

export interface Scanned {
  readonly operations: Operation[];
  /** Everything from here on was read, and something older was not. */
  readonly searchedToId?: string;
}

type ScanRow = StoredRow & { readonly edge: string | null; readonly id: string | null };

interface ScanPage {
  readonly size: number;
  readonly beforeId: string | undefined;
}

async function searchBackwards(
  database: Knex,
  projectId: string,
  search: OperationSearch,
  page: ScanPage,
): Promise<Scanned | TooManyInstallations> {
  const ids = await installationsOf(database, projectId, search);
  if (ids !== undefined && ids.length > installationsMax) return 'too-many-installations';
  return await scan(database, projectId, search, { ...page, ids });
}

/** Reads backwards, of each installation so many operations at most, and keeps what is asked for: one more than the size, if there are so many. */
export async function scan(
  database: Knex,
  projectId: string,
  search: OperationSearch,
  { ids, beforeId, size }: ScanPage & { readonly ids: readonly string[] | undefined },
): Promise<Scanned> {
  if (ids?.length === 0) return { operations: [] };
  const fromId = search.since && firstIdAt(search.since.getTime() - clockSlackMs);
  // Failed ones are rare and have an index of the project: read once, not for each installation.
  const each = search.isFailed === true ? operationsReadMax : Math.ceil(operationsReadMax / (ids?.length ?? 1));
  const recordsMax =
    recordsOf(search) === failedSql ? Math.ceil(failedRecordsReadMax / (ids?.length ?? 1)) : recordsReadMax;
  const bindings = { projectId, ...search, beforeId, fromId, ids, each, recordsMax, limit: size + 1 };
  const { rows } = await database.raw<{ rows: ScanRow[] }>(scanSql(search, { beforeId, ids }), bindings as never);
  const operations = rows.filter((row) => row.id !== null).map(toOperation);
  const edge = rows[0]?.edge ?? undefined;
  return { operations, ...(edge === undefined ? {} : { searchedToId: edge }) };
}

/** Ids of the installations that are searched, one more than is searched at most. Undefined: of the whole project, also of deleted ones. */
export async function installationsOf(
  database: Knex,
  projectId: string,
  { installationId, groupRef, groupRefPrefix }: OperationSearch,
): Promise<readonly string[] | undefined> {
  if (groupRef === undefined && groupRefPrefix === undefined)
    return installationId === undefined ? undefined : [installationId];
  const query = database('installations')
    .where({ project_id: projectId })
    .limit(installationsMax + 1);
  if (groupRef !== undefined) void query.where('group_ref', groupRef);
  if (groupRefPrefix !== undefined) void query.whereRaw('starts_with(group_ref, ?)', [groupRefPrefix]);
  if (installationId !== undefined) void query.where('id', installationId);
  return (await query.select<{ id: string }[]>('id')).map(({ id }) => id);
}

interface Range {
  readonly beforeId: string | undefined;
  readonly ids: readonly string[] | undefined;
}

/** `edge`: the newest of the operations at which the search of an installation ended before its last one. */
function scanSql(search: OperationSearch, { beforeId, ids }: Range): string {
  const records = recordsOf(search);
  const ofRecords = records !== undefined;
  const isEach = ids !== undefined && search.isFailed !== true;
  const within = [
    search.isFailed === true ? ' and o.failed_at is not null' : '',
    isEach ? ' and o.installation_id = i.id' : '',
    beforeId === undefined ? '' : ' and o.id < :beforeId',
    search.since === undefined ? '' : ' and o.id >= :fromId',
  ].join('');
  const newest = `select o.* from operations o where o.project_id = :projectId${within} order by o.id desc limit :each`;
  // Counted row by row, so that no more records are looked at than are allowed.
  const counted = `select o.*, sum(${records}) over (order by o.id desc rows unbounded preceding) as records_read from (${newest}) o`;
  const read = ofRecords ? `select o.* from (${counted}) o where o.records_read <= :recordsMax` : newest;
  const edge = ofRecords
    ? `select case when count(*) >= :each or max(o.records_read) > :recordsMax
         then min(o.id) filter (where o.records_read <= :recordsMax) end as id from (${counted}) o`
    : `select o.id from operations o where o.project_id = :projectId${within} order by o.id desc offset :each - 1 limit 1`;
  return `
    with i as materialized (select ${isEach ? 'unnest(:ids::text[]) as id' : 'null::text as id'}),
    edge as materialized (select max(e.id) as id from i cross join lateral (${edge}) e),
    page as materialized (
      select f.* from i cross join lateral (
        select o.* from (${read}) o where true${isEach || ids === undefined ? '' : ' and o.installation_id = any(:ids::text[])'}${conditions(search)}${searched(search)}
        order by o.id desc limit :limit) f
      where f.id >= coalesce((select id from edge), '') order by f.id desc limit :limit)
    select e.id as edge, o.* from edge e
    left join (select ${operationColumns} from page o) o on true order by o.id desc`;
}

/** Records that a search of an operation reads: an open batch has up to as many as fill it. */
const recordsSql = `case when o.state = 'accumulating' then ${limits.autoBatchRecordsMax} else greatest(o.records_total, 1) end`;

const failedSql = 'o.records_failed';

/** SQL: records of an operation `o` that the search reads. Undefined: none. */
function recordsOf(search: OperationSearch): string | undefined {
  if (search.recordRef !== undefined || search.recordId !== undefined) return recordsSql;
  return asksForProblem(search) ? failedSql : undefined;
}

type ProblemSearch = Pick<OperationSearch, 'problemCode' | 'problemField' | 'problemText'>;

export function asksForProblem({ problemCode, problemField, problemText }: ProblemSearch): boolean {
  return [problemCode, problemField, problemText].some((value) => value !== undefined);
}

/** Besides what a list filters by. */
export function searched({
  hasFailures,
  isFailed,
  problemCode,
  problemField,
  problemText,
  recordRef,
  recordId,
}: OperationSearch): string {
  const isTextAlone = problemText !== undefined && problemCode === undefined && problemField === undefined;
  const problem = [
    problemCode === undefined ? '' : ' and p.code = :problemCode',
    problemField === undefined ? '' : ' and p.field = :problemField',
    problemText === undefined ? '' : ' and starts_with(p.message, :problemText)',
    isTextAlone ? ' and p.code is null and p.field is null' : '',
  ].join('');
  return [
    hasFailures === true ? ' and o.records_failed > 0' : '',
    isFailed === false ? ' and o.failed_at is null' : '',
    problem === '' ? '' : ` and o.records_failed > 0 and ${hasProblem(problem)}`,
    recordRef === undefined ? '' : ` and ${hasRecord('r.ref = :recordRef')}`,
    recordId === undefined ? '' : ` and (${wroteRecord} or ${hasRecord(namesRecord)})`,
  ].join('');
}

/** Read only of operations of which a record failed. */
const hasProblem = (condition: string): string => `exists (
  select 1 from record_outcomes e cross join lateral json_to_recordset(${problemsSql}) as p (code text, field text, message text)
  where e.project_id = o.project_id and e.operation_id = o.id and e.outcome in ('failed', 'unknown')${condition})`;

/** The record that was written. */
const wroteRecord = `exists (
  select 1 from outcomes e where e.project_id = o.project_id and e.operation_id = o.id and :recordId = any(e.provider_ids))`;

/** Of an update or a delete: the record that is to be written. */
const namesRecord = `right(r.order_key, length(:recordId) + 1) = '/' || :recordId`;

const hasRecord = (condition: string): string => `exists (
  select 1 from records r where r.project_id = o.project_id and r.operation_id = o.id and ${condition})`;
