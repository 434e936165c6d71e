import type { Operation } from '@sluice/types';
import type { Knex } from 'knex';
import { withGroups } from './describe-listed';
import {
  earlier,
  fitting,
  installationsMax,
  installationsOf,
  scan,
  type OperationSearch,
  type TooManyInstallations,
} from './find-operations';
import { firstIdAt } from './list-operations';

/** Which operations: what an index finds, in an order of its own. */
export type FailuresFirstSearch = Pick<
  OperationSearch,
  'installationId' | 'groupRef' | 'status' | 'objectName' | 'since' | 'until'
>;

const parts = ['failed', 'others'] as const;

/** Where a page begins: among the operations that failed, or among the others, before this id. */
export interface FailuresFirstPosition {
  readonly part: (typeof parts)[number];
  readonly beforeId: string;
}

/**
 * Those of which no record was written, then all others, both newest first. Each part is read over an index, up to the bound of a search: a page may
 * have fewer operations than its size, and none, and `next` all the same. Those that were written in part are among the others: no index has them.
 */
export async function listFailuresFirst(
  database: Knex,
  projectId: string,
  search: FailuresFirstSearch,
  { size, after }: { readonly size: number; readonly after?: FailuresFirstPosition | undefined },
): Promise<{ readonly items: readonly Operation[]; readonly next?: FailuresFirstPosition } | TooManyInstallations> {
  const ids = await installationsOf(database, projectId, search);
  if (ids !== undefined && ids.length > installationsMax) return 'too-many-installations';
  const until = search.until && firstIdAt(search.until.getTime());
  const found: { readonly part: FailuresFirstPosition['part']; readonly operation: Operation }[] = [];
  let next: FailuresFirstPosition | undefined;
  for (const part of parts.slice(after === undefined ? 0 : parts.indexOf(after.part))) {
    const beforeId = part === after?.part ? earlier(after.beforeId, until) : until;
    const page = { ids, size: size - found.length, beforeId };
    const read = await scan(database, projectId, { ...search, isFailed: part === 'failed' }, page);
    found.push(...read.operations.map((operation) => ({ part, operation })));
    if (read.searchedToId !== undefined) next = { part, beforeId: read.searchedToId };
    if (next !== undefined || found.length > size) break;
  }
  const operations = found.map(({ operation }) => operation);
  const items = fitting(await withGroups(database, projectId, operations), size);
  const last = found[items.length - 1];
  if (items.length < found.length && last !== undefined) next = { part: last.part, beforeId: last.operation.id };
  return { items, ...(next === undefined ? {} : { next }) };
}
