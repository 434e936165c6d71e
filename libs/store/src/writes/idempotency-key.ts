import type { FailureClass } from '@sluice/errors';
import { limits, type RecordOutcome, type RecordProblem } from '@sluice/types';
import type { Knex } from 'knex';
import { column, preparedRowsSql, rowBindings, type Column } from '../row-source';
import { type StoredRow, json, optional, plain, table } from '../table';

/**
 * `Idempotency-Key`s. A key's row is inserted by the statement or the transaction that accepts the write, so that a crash
 * never leaves one without the other. It names the operation: while no reply is stored, the operation's records show the outcome.
 */

/** What a caller sent with a write, and a hash of all that makes two requests the same. */
export interface KeyClaim {
  /** Keys of different endpoints do not collide. */
  readonly scope: string;
  readonly key: string;
  readonly bodyHash: string;
}

/** The reply that a repeat gets again. `accepted`: an asynchronous write was promised. `answered`: a synchronous one ended. */
export type StoredReply =
  | {
      readonly kind: 'accepted';
      readonly operationId: string;
      readonly index: number;
      /** Of an auto-batched write. */
      readonly dueTime?: string;
      readonly ref?: string;
    }
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** A key that was used within the last 72 hours. */
const storedKeys = table({
  bodyHash: plain('body_hash'),
  operationId: plain('operation_id'),
  /** Absent: the write is under way, or its end was recorded without knowing the reply. */
  reply: optional(json<StoredReply>('reply')),
});

export type StoredKey = ReturnType<typeof storedKeys.read>;

/** What becomes of a synchronous write's key when it is settled. */
export interface KeyEnding {
  readonly scope: string;
  readonly key: string;
  /** Absent: the key is removed, because the same request may be made again. */
  readonly reply?: StoredReply;
}

/** A key about to be stored, with the operation that its write would open. */
export interface KeyedOperation {
  readonly projectId: string;
  readonly operationId: string;
  readonly claim: KeyClaim;
  readonly reply?: StoredReply;
}

const keyColumns: readonly Column<KeyedOperation>[] = [
  column('project_id', 'text', (k) => k.projectId),
  column('scope', 'text', (k) => k.claim.scope),
  column('key', 'text', (k) => k.claim.key),
  column('operation_id', 'text', (k) => k.operationId),
  column('body_hash', 'text', (k) => k.claim.bodyHash),
  column('reply', 'text', (k) => (k.reply === undefined ? null : JSON.stringify(k.reply))),
];

/**
 * `insert … returning operation_id`: inserts each key that is free or older than 72 hours; the others are left out of what
 * it returns. Waits while another transaction holds a key. Sorted, so that two statements never wait for each other.
 * No key may occur twice.
 * @param among SQL condition on `k`
 */
export function claimSql(among = 'true'): string {
  return `
    insert into idempotency_keys as held (project_id, scope, key, operation_id, body_hash, reply)
    select k.project_id, k.scope, k.key, k.operation_id, k.body_hash, k.reply from ${preparedRowsSql('k', keyColumns)}
    where ${among} order by k.project_id, k.scope, k.key
    on conflict (project_id, scope, key) do update set operation_id = excluded.operation_id,
      body_hash = excluded.body_hash, reply = excluded.reply, created_at = now()
      where held.created_at <= now() - make_interval(secs => ?::float8)
    returning operation_id`;
}

/** What claimSql is bound to. */
export function claimBindings(keyed: readonly KeyedOperation[], timeScale: number): readonly unknown[] {
  return [...rowBindings(keyColumns, keyed), retentionSeconds(timeScale)];
}

/** How long a key is stored, in seconds of the scaled clock. */
function retentionSeconds(timeScale: number): number {
  return (limits.idempotencyKeyHours * 3_600) / timeScale;
}

/** Claims keys inside a transaction; returns the operation ids of those that were free. */
export async function claimIn(
  transaction: Knex.Transaction,
  keyed: readonly KeyedOperation[],
  timeScale: number,
): Promise<Set<string>> {
  if (keyed.length === 0) return new Set();
  const bindings = claimBindings(keyed, timeScale) as Knex.Value[];
  const result = await transaction.raw<{ rows: { operation_id: string }[] }>(claimSql(), bindings);
  return new Set(result.rows.map((row) => row.operation_id));
}

/** Stores the outcome of claimed keys: the operation that took the record, and the reply. */
export async function completeIn(transaction: Knex.Transaction, keyed: readonly KeyedOperation[]): Promise<void> {
  if (keyed.length === 0) return;
  await transaction.raw(
    `update idempotency_keys held set operation_id = k.operation_id, reply = k.reply from ${preparedRowsSql('k', keyColumns)}
     where held.project_id = k.project_id and held.scope = k.scope and held.key = k.key`,
    rowBindings(keyColumns, keyed) as Knex.Value[],
  );
}

/** Frees keys that this transaction has claimed, because nothing was written. */
export async function releaseIn(transaction: Knex.Transaction, keyed: readonly KeyedOperation[]): Promise<void> {
  if (keyed.length === 0) return;
  await transaction.raw(
    `delete from idempotency_keys held using ${preparedRowsSql('k', keyColumns)}
     where held.project_id = k.project_id and held.scope = k.scope and held.key = k.key`,
    rowBindings(keyColumns, keyed) as Knex.Value[],
  );
}

/** Names one key of a project. */
export interface KeyName {
  readonly projectId: string;
  readonly scope: string;
  readonly key: string;
}

/** One record of an operation that has ended, as far as a reply needs it. */
const endedRecords = table({
  outcome: plain<Exclude<RecordOutcome, 'pending'>>('outcome'),
  providerId: optional(plain('provider_id')),
  errorClass: optional(plain<FailureClass | 'deadline' | 'cancelled' | 'quarantined'>('error_class')),
  errorText: optional(plain('error_text')),
  problems: optional(plain<readonly RecordProblem[]>('problems')),
  warnings: optional(plain<readonly string[]>('warnings')),
  /** JSON of the write plan; absent after the retention time. */
  plan: optional(plain('plan')),
});

export type EndedRecord = ReturnType<typeof endedRecords.read>;

/** The stored key; undefined when it was never used, or longer than 72 hours ago. */
export async function findKey(database: Knex, name: KeyName, timeScale: number): Promise<StoredKey | undefined> {
  const { rows } = await database.raw<{ rows: StoredRow[] }>(
    `select body_hash, operation_id, reply from idempotency_keys
     where project_id = ? and scope = ? and key = ? and created_at > now() - make_interval(secs => ?::float8)`,
    [name.projectId, name.scope, name.key, retentionSeconds(timeScale)],
  );
  return storedKeys.first(rows);
}

/** The records of an operation in request order; undefined while it has not ended. */
export async function readEnded(
  database: Knex,
  projectId: string,
  operationId: string,
): Promise<EndedRecord[] | undefined> {
  const { rows } = await database.raw<{ rows: StoredRow[] }>(
    `select coalesce(e.outcome, 'unknown') as outcome, e.provider_id, e.error_class, e.error_text, e.problems::json as problems,
            e.warnings::json as warnings, r.plan from operations o
     join records r on r.project_id = o.project_id and r.operation_id = o.id
     left join record_outcomes e on e.project_id = o.project_id and e.operation_id = o.id and e.record_index = r.record_index
     where o.project_id = ? and o.id = ? and o.state in ('succeeded', 'failed') order by r.record_index`,
    [projectId, operationId],
  );
  return rows.length === 0 ? undefined : rows.map(endedRecords.read);
}

/** Frees a key whose write ended so that it may be made again; nothing when the key names another operation by now. */
export async function dropKey(database: Knex, name: KeyName, operationId: string): Promise<void> {
  const { projectId, scope, key } = name;
  await database('idempotency_keys').where({ project_id: projectId, scope, key, operation_id: operationId }).delete();
}

/** Deletes keys older than 72 hours, at most `limit` of them; returns how many. */
export async function sweepKeys(database: Knex, limit: number, timeScale: number): Promise<number> {
  const result = await database.raw<{ rowCount: number }>(
    `delete from idempotency_keys where (project_id, scope, key) in (
       select project_id, scope, key from idempotency_keys
       where created_at <= now() - make_interval(secs => ?::float8) order by created_at limit ? for update skip locked)`,
    [retentionSeconds(timeScale), limit],
  );
  return result.rowCount;
}
