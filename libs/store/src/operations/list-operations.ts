import type { Operation, OperationStatus } from '@sluice/types';
import type { Knex } from 'knex';
import type { StoredRow } from '../table';
import { operationColumns, toOperation } from './operation-row';

/** Which operations, and where the page begins. Absent members do not filter. */
export interface OperationFilter {
  readonly installationId?: string;
  /** Of installations that exist now. */
  readonly groupRef?: string;
  readonly status?: OperationStatus;
  readonly objectName?: string;
  /** Accepted at this moment or later. */
  readonly since?: Date;
  /** Id of the last operation of the page before. */
  readonly beforeId?: string;
  /** Operations at most. */
  readonly limit: number;
}

/** Exactly the predicate of the partial index on failed operations. */
const inStatus: Record<OperationStatus, string> = {
  in_progress: `o.state in ('accumulating', 'queued')`,
  success: `o.state = 'succeeded'`,
  failure: 'o.failed_at is not null',
};

/**
 * Longest difference between the clock that made an operation's id and the database's that is provided for. With it `since` bounds
 * the ids that are read, because a uuid v7 begins with its moment.
 */
export const clockSlackMs = 3_600_000;

/**
 * Newest first, by id. New operations come before the first page, so a page that is requested later neither repeats nor misses
 * one. Of a project: backwards over the primary key, or over the index of failed ones; of a group: backwards over each of its
 * installations, then the newest of all.
 */
export async function listOperations(database: Knex, projectId: string, filter: OperationFilter): Promise<Operation[]> {
  const source = filter.groupRef === undefined ? pageOfProject(filter) : pageOfGroup(filter);
  const since = filter.since && { since: filter.since, fromId: firstIdAt(filter.since.getTime() - clockSlackMs) };
  const { rows } = await database.raw<{ rows: StoredRow[] }>(
    `with page as materialized (${source}) select ${operationColumns} from page o order by o.id desc`,
    { projectId, ...filter, ...since } as never,
  );
  return rows.map(toOperation);
}

function pageOfProject(filter: OperationFilter): string {
  return `select o.* from operations o where o.project_id = :projectId${conditions(filter)} order by o.id desc limit :limit`;
}

function pageOfGroup(filter: OperationFilter): string {
  return `
    select newest.* from installations n cross join lateral (
      select o.* from operations o where o.project_id = n.project_id and o.installation_id = n.id${conditions(filter)}
      order by o.id desc limit :limit) newest
    where n.project_id = :projectId and n.group_ref = :groupRef order by newest.id desc limit :limit`;
}

/** SQL of what an operation `o` must be. */
export function conditions({
  installationId,
  status,
  objectName,
  since,
  beforeId,
}: Omit<OperationFilter, 'limit'>): string {
  return [
    installationId === undefined ? '' : ' and o.installation_id = :installationId',
    status === undefined ? '' : ` and ${inStatus[status]}`,
    objectName === undefined ? '' : ' and o.object_name = :objectName',
    since === undefined ? '' : ' and o.created_at >= :since and o.id >= :fromId',
    beforeId === undefined ? '' : ' and o.id < :beforeId',
  ].join('');
}

/** The least uuid v7 of a moment. Source: RFC 9562, 5.7: 48 bits of Unix milliseconds first. */
export function firstIdAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
