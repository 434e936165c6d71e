import type { Knex } from 'knex';
import type { KeyClaim } from './idempotency-key';
import { lockOrderKeys } from './lock-order-keys';
import { runningStatement, type RunningRow } from './running-statement';
import type { NewOperation, NewRecord } from './write-rows';

/** A synchronous write that is about to be sent by this very process. */
export interface SynchronousWrite {
  readonly operation: NewOperation;
  readonly records: readonly (NewRecord & { readonly fingerprint?: string })[];
  readonly owner: string;
  readonly leaseMs: number;
  /** Claimed with the opening; in flight until the settlement. */
  readonly idempotency?: KeyClaim;
}

/**
 * `opened`: the intent is committed under lease and fence 1, the caller sends now. `queuedBehind` names operations whose
 * queued writes to the same record it overtakes. `busy`: a call is executing on the record at this moment. `key-taken`: its
 * idempotency key belongs to another write.
 */
export type Opening =
  | { readonly kind: 'opened'; readonly acceptedAt: Date; readonly queuedBehind: readonly string[] }
  | { readonly kind: 'stale' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'key-taken' };

/**
 * Opens a synchronous operation with its call already running and its intent recorded, in one transaction.
 * Order: 1. a delete holds its installation: a config that disables it is committed before this looks, or after the intent.
 * 2. Advisory locks on the order keys, so that no executor starts on these records meanwhile. 3. Refuse if a call
 * is executing on one. 4. Insert operation, call, records and the attempt: committed means sent.
 */
export async function insertSynchronous(database: Knex, write: SynchronousWrite, timeScale: number): Promise<Opening> {
  const orderKeys = write.records.flatMap((record) => record.orderKey ?? []);
  if (orderKeys.length === 0) return await insertRunning(database, write, [], timeScale);
  return await database.transaction(async (transaction) => {
    if (write.operation.type === 'delete') await holdInstallation(transaction, write.operation);
    await lockOrderKeys(transaction, orderKeys);
    const standing = await findStanding(transaction, write.operation.projectId, orderKeys);
    if (standing.some((row) => row.running)) return { kind: 'busy' };
    const queuedBehind = [...new Set(standing.map((row) => row.operation_id))];
    return await insertRunning(transaction, write, queuedBehind, timeScale);
  });
}

/** Before the order keys, as whoever deletes the installation does. Only deletes pay for it: other writes pin what they were planned on. */
async function holdInstallation(transaction: Knex.Transaction, { projectId, pins }: NewOperation): Promise<void> {
  await transaction('installations').where({ project_id: projectId, id: pins.installationId }).forShare().select('id');
}

async function findStanding(transaction: Knex.Transaction, projectId: string, orderKeys: readonly string[]) {
  const result = await transaction.raw<{ rows: { operation_id: string; running: boolean }[] }>(
    `select r.operation_id, coalesce(c.state = 'running', false) as running
     from records r
     left join calls c on c.project_id = r.project_id and c.operation_id = r.operation_id and c.number = r.call_number
     where r.project_id = ? and r.order_key = any(?::text[]) and r.outcome = 'pending'
     order by coalesce(c.state = 'running', false) desc, r.accept_seq, r.record_index limit 100`,
    [projectId, orderKeys as string[]],
  );
  return result.rows;
}

async function insertRunning(
  database: Knex,
  write: SynchronousWrite,
  queuedBehind: string[],
  timeScale: number,
): Promise<Opening> {
  const opening = (await insertTogether(database, [write], timeScale))[0] as Opening;
  return opening.kind === 'opened' ? { ...opening, queuedBehind } : opening;
}

/**
 * Opens synchronous creates in one statement: nothing is in order with them, so none waits for another. Committed means sent.
 * @param writes none of their records has an order key, and no two an idempotency key
 * @returns what became of each, in their order; never `busy`
 */
export async function insertTogether(
  database: Knex,
  writes: readonly SynchronousWrite[],
  timeScale: number,
): Promise<readonly Opening[]> {
  const { name, sql, bindings } = runningStatement(writes, timeScale);
  const result = await database.raw<{ rows: RunningRow[] }>(sql, bindings as Knex.Value[]).options({ name });
  const rows = new Map(result.rows.map((row) => [row.id, row]));
  return writes.map(({ operation }): Opening => {
    const row = rows.get(operation.id);
    if (row === undefined) return { kind: 'stale' };
    // What was current and could not be opened has lost its key to another write.
    if (row.created_at === null) return { kind: 'key-taken' };
    return { kind: 'opened', acceptedAt: row.created_at, queuedBehind: [] };
  });
}
