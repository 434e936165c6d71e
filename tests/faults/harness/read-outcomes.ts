import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation, OperationListReply, OperationRecord } from '@sluice/types';
import type { Project } from '../../harness/project';
import type { ClientLedger } from './client-ledger';

/** How the operations of a load ended, as the management API says. */
export interface Outcomes {
  readonly operations: ReadonlyMap<string, Operation>;
  /** Records by operation id and index: of every operation that failed or has several records. */
  readonly records: ReadonlyMap<string, readonly OperationRecord[]>;
}

/** Largest page of the API. */
const pageSize = 1_000;
/** Requests for the records of operations at once. */
const readersMax = 12;
const pollMs = 200;

/** Waits until no operation of these projects is in progress. @returns whether that came within the bound */
export async function waitUntilQuiet(projects: readonly Project[], boundMs: number): Promise<boolean> {
  const startedAtMs = performance.now();
  for (;;) {
    const counts = await Promise.all(projects.map(countInProgress)).catch(() => [1]);
    if (counts.every((count) => count === 0)) return true;
    if (performance.now() - startedAtMs > boundMs) return false;
    await sleep(pollMs);
  }
}

async function countInProgress({ client }: Project): Promise<number> {
  const page = await client.management.listOperationsForProject({ status: 'in_progress', pageSize: 1 });
  return page.results.length;
}

export async function readOutcomes(projects: readonly Project[], ledger: ClientLedger): Promise<Outcomes> {
  const operations = new Map<string, Operation>();
  // Seconds of grace: the moments are the database's.
  const since = new Date(ledger.startedAtMs - 5_000).toISOString();
  for (const project of projects) {
    for await (const operation of listOperations(project, since)) operations.set(operation.id, operation);
  }
  const sizes = new Map<string, number>();
  for (const { operationId } of ledger.records) {
    if (operationId !== undefined) sizes.set(operationId, (sizes.get(operationId) ?? 0) + 1);
  }
  const isAuto = new Set(
    ledger.records.flatMap(({ way, operationId }) => (isAutoBatched(way) ? (operationId ?? []) : [])),
  );
  const needed = [...operations.values()].filter(
    ({ id, status }) => sizes.has(id) && (status !== 'success' || (sizes.get(id) ?? 0) > 1 || isAuto.has(id)),
  );
  return { operations, records: await readRecords(projects, needed) };
}

export function isAutoBatched(way: string): boolean {
  return way === 'auto' || way === 'autoUpdate';
}

async function* listOperations({ client }: Project, since: string): AsyncGenerator<Operation> {
  let pageToken: string | undefined;
  do {
    const query = { since, pageSize, ...(pageToken !== undefined && { pageToken }) };
    const page: OperationListReply = await client.management.listOperationsForProject(query);
    yield* page.results;
    pageToken = page.pagination.nextPageToken;
  } while (pageToken !== undefined);
}

async function readRecords(projects: readonly Project[], operations: readonly Operation[]) {
  const records = new Map<string, readonly OperationRecord[]>();
  const clients = new Map(projects.map(({ id, client }) => [id, client]));
  const next = operations.values();
  const read = async (): Promise<void> => {
    for (const { id, projectId } of next) {
      const page = await clients.get(projectId)?.management.listOperationRecords({ operationId: id, pageSize });
      records.set(id, page?.results ?? []);
    }
  };
  await Promise.all(Array.from({ length: readersMax }, read));
  return records;
}
