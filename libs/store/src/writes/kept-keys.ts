import type { FailureClass } from '@sluice/errors';
import type { RecordOutcome } from '@sluice/types';
import type { Knex } from 'knex';
import { keptSeconds, type KeptKey, type KeptReply, type KeyEnding } from './idempotency-key';
import type { Settlement } from './settlement';

/** Names one key of a project. */
export interface KeyName {
  readonly projectId: string;
  readonly scope: string;
  readonly key: string;
}

/** One record of an operation that has ended, as far as a reply needs it. */
export interface EndedRecord {
  readonly outcome: Exclude<RecordOutcome, 'pending'>;
  readonly providerId?: string;
  readonly errorClass?: FailureClass | 'deadline' | 'cancelled' | 'quarantined';
  readonly errorText?: string;
  readonly warnings?: readonly string[];
  /** JSON of the write plan; absent after the retention time. */
  readonly plan?: string;
}

/** The key as it is known; undefined when it was never seen, or longer than 72 hours ago. */
export async function findKey(database: Knex, name: KeyName, timeScale: number): Promise<KeptKey | undefined> {
  type Row = { body_hash: string; operation_id: string; reply: string | null };
  const result = await database.raw<{ rows: Row[] }>(
    `select body_hash, operation_id, reply from idempotency_keys
     where project_id = ? and scope = ? and key = ? and created_at > now() - make_interval(secs => ?::float8)`,
    [name.projectId, name.scope, name.key, keptSeconds(timeScale)],
  );
  const row = result.rows[0];
  if (row === undefined) return undefined;
  const reply = row.reply === null ? {} : { reply: JSON.parse(row.reply) as KeptReply };
  return { bodyHash: row.body_hash, operationId: row.operation_id, ...reply };
}

/** The records of an operation in request order; undefined while it has not ended. */
export async function readEnded(
  database: Knex,
  projectId: string,
  operationId: string,
): Promise<EndedRecord[] | undefined> {
  type Row = {
    outcome: EndedRecord['outcome'] | null;
    provider_id: string | null;
    error_class: NonNullable<EndedRecord['errorClass']> | null;
    error_text: string | null;
    warnings: string[] | null;
    plan: string | null;
  };
  const result = await database.raw<{ rows: Row[] }>(
    `select r.outcome, r.provider_id, r.error_class, r.error_text, r.warnings, r.plan from operations o
     join records r on r.project_id = o.project_id and r.operation_id = o.id
     where o.project_id = ? and o.id = ? and o.state in ('succeeded', 'failed') order by r.record_index`,
    [projectId, operationId],
  );
  if (result.rows.length === 0) return undefined;
  return result.rows.map((row) => ({
    outcome: row.outcome ?? 'unknown',
    ...(row.provider_id === null ? {} : { providerId: row.provider_id }),
    ...(row.error_class === null ? {} : { errorClass: row.error_class }),
    ...(row.error_text === null ? {} : { errorText: row.error_text }),
    ...(row.warnings === null || row.warnings.length === 0 ? {} : { warnings: row.warnings }),
    ...(row.plan === null ? {} : { plan: row.plan }),
  }));
}

/** Stores replies and removes keys of what a settlement ends. The operation must still be the one that the key names. */
export async function endKeys(transaction: Knex.Transaction, held: readonly Settlement[]): Promise<void> {
  // In the order in which keys are claimed.
  const sorted = held.toSorted((a, b) => keyPlace(a).localeCompare(keyPlace(b)));
  for (const { projectId, operationId, idempotency, next } of sorted) {
    if (idempotency === undefined || next.state !== 'done') continue;
    const { scope, key, reply }: KeyEnding = idempotency;
    const row = transaction('idempotency_keys').where({ project_id: projectId, scope, key, operation_id: operationId });
    await (reply === undefined ? row.delete() : row.update({ reply: JSON.stringify(reply) }));
  }
}

function keyPlace({ projectId, idempotency }: Settlement): string {
  return JSON.stringify([projectId, idempotency?.scope, idempotency?.key]);
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
    [keptSeconds(timeScale), limit],
  );
  return result.rowCount;
}
