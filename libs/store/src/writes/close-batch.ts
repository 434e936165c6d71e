import { limits } from '@sluice/types';
import type { Knex } from 'knex';
import type { OperationKey } from './write-rows';

/** Names an auto-batch. */
export type BatchKey = OperationKey;

/**
 * The one way in which an auto-batch stops taking records. Under the row lock of its key, the row then says that nothing is
 * open, and `closed_batches` gets the exact count. From there the batch is sealed, or ended with its installation. A join that fills a batch does the
 * same (`join-statement.ts`). It is an insert, not an update of the operation, whose row may be newer than the snapshot of
 * this statement.
 * @param which SQL condition on the row `b` of `open_batches`
 * @param from SQL of what else it reads
 * @param before SQL of what is done before
 */
function closeSql(which: string, from = '', before = ''): string {
  return `
    with ${before} shut as (update open_batches b set is_open = false ${from} where b.is_open and ${which}
      returning b.project_id, b.operation_id, b.connection_id, b.records, b.plan_bytes)
    insert into closed_batches (project_id, operation_id, connection_id, records, plan_bytes) select * from shut`;
}

const keyColumns = ['project_id', 'installation_id', 'type', 'object_name'];

/** Several: their rows are locked in the order in which joins lock them, so neither waits for the other. */
function closeInOrderSql(which: string): string {
  const order = keyColumns.map((column) => `${column} collate "C"`).join(', ');
  const isLocked = keyColumns.map((column) => `b.${column} = l.${column}`).join(' and ');
  const lock = `l as materialized (select * from open_batches b where b.is_open and ${which} order by ${order} for update),`;
  return closeSql(isLocked, 'from l', lock);
}

/** The batch key is read from the operation's row. What has gone on to another batch meanwhile is not closed: the row is compared again under its lock. */
const ofOperation = `o.project_id = :projectId and o.id = :operationId and b.project_id = o.project_id
  and b.installation_id = o.installation_id and b.object_name = o.object_name and b.type = o.type and b.operation_id = o.id`;
const closeOneSql = closeSql(ofOperation, 'from operations o');
const closeDueSql = closeSql(`${ofOperation} and b.due_at <= now()`, 'from operations o');
const closeInstallationSql = closeInOrderSql('b.project_id = :projectId and b.installation_id = :installationId');
const closeCreatesSql = closeInOrderSql(`b.project_id is not null and b.type = 'create'`);

/** @returns whether it was open */
export async function closeBatch(transaction: Knex.Transaction, key: BatchKey): Promise<boolean> {
  return (await run(transaction, closeOneSql, { ...key })) > 0;
}

/** @returns whether it was open, and its time has come by the clock of the database */
export async function closeDueBatch(transaction: Knex.Transaction, key: BatchKey): Promise<boolean> {
  return (await run(transaction, closeDueSql, { ...key })) > 0;
}

/** The batches of an installation that is being deleted, whose row is locked: no other is opened. */
export async function closeInstallation(
  transaction: Knex.Transaction,
  key: { readonly projectId: string; readonly installationId: string },
): Promise<void> {
  await run(transaction, closeInstallationSql, { ...key });
}

/** Of a restored database, where no service runs: so that their records can be put in doubt. @returns how many were open */
export async function closeRestoredBatches(database: Knex): Promise<number> {
  return await run(database, closeCreatesSql, {});
}

async function run(database: Knex, sql: string, bindings: Record<string, string>): Promise<number> {
  return (await database.raw<{ rowCount: number }>(sql, bindings)).rowCount;
}

/** SQL: whether the auto-batch of an operation is full, also before its seal. */
export function isFullSql(operation: string): string {
  return `(${operation}.is_full or coalesce((select c.records >= ${limits.autoBatchRecordsMax} from closed_batches c
    where c.project_id = ${operation}.project_id and c.operation_id = ${operation}.id), false))`;
}
