import type { Knex } from 'knex';
import { acceptSingles, areSingles } from './accept-singles';
import { acceptStatement } from './accept-statement';
import type { KeyClaim } from './idempotency-key';
import { column, rowBindings, rowsSql } from './row-source';
import type { NewOperation, NewRecord } from './write-rows';
import { groupBySource } from './write-source';

/** A single or batch asynchronous write: one operation, one or more calls, its records. */
export interface AcceptableWrite {
  readonly operation: NewOperation;
  readonly records: readonly NewRecord[];
  /** Claimed together with the acceptance. Two writes of one call never share a key. */
  readonly idempotency?: KeyClaim;
}

/**
 * When it was accepted, from the database's clock. `stale` when a pin has changed, `key-taken` when its idempotency key
 * belongs to another write: nothing was written.
 */
export type Acceptance = { readonly acceptedAt: Date } | 'stale' | 'key-taken';

interface Inserted {
  readonly accepted_at: Date;
  readonly opened: number;
  readonly sources: readonly number[];
  readonly claimed: readonly string[];
}

export interface AcceptOptions {
  readonly timeScale: number;
  /** An earlier try of the same writes may have been committed. */
  readonly isRepeated: boolean;
}

/**
 * Accepts many writes in one statement: one committed transaction is the promise.
 * Running it twice with the same rows stores them once, so it is also the answer to a COMMIT of unknown outcome.
 * `accept_seq` is drawn once per request, inside the insert: with the index it is the only definition of accept order.
 */
export async function insertAccepted(
  database: Knex,
  writes: readonly AcceptableWrite[],
  { timeScale, isRepeated }: AcceptOptions,
): Promise<Map<string, Acceptance>> {
  const grouped = groupBySource(writes.map((write) => write.operation));
  const build = !isRepeated && areSingles(writes) ? acceptSingles : acceptStatement;
  const { name, sql, bindings } = build(writes, grouped, timeScale);
  const result = await database
    .raw<{ rows: [Inserted] }>(sql, bindings as Knex.Value[])
    .options(name === undefined ? {} : { name });
  const [inserted] = result.rows;
  const acceptance = { acceptedAt: inserted.accepted_at };
  if (inserted.opened === writes.length) return new Map(writes.map(({ operation }) => [operation.id, acceptance]));
  const stored = await findStored(database, writes);
  const isCurrent = new Set(inserted.sources);
  const isClaimed = new Set(inserted.claimed);
  const decide = ({ operation: { id }, idempotency }: AcceptableWrite, at: number): Acceptance => {
    const createdAt = stored.get(id);
    if (createdAt !== undefined) return { acceptedAt: createdAt };
    if (!isCurrent.has(grouped.sourceOf[at] as number)) return 'stale';
    if (idempotency !== undefined && !isClaimed.has(id)) return 'key-taken';
    throw new Error('an accept of unknown outcome is still under way');
  };
  return new Map(writes.map((write, at) => [write.operation.id, decide(write, at)]));
}

/** What an earlier try committed, with its time. A statement of its own, because it must see what the insert waited for. */
async function findStored(database: Knex, writes: readonly AcceptableWrite[]): Promise<Map<string, Date>> {
  const keys = [
    column<AcceptableWrite>('project_id', 'text', (w) => w.operation.projectId),
    column<AcceptableWrite>('id', 'text', (w) => w.operation.id),
  ];
  const result = await database.raw<{ rows: { id: string; created_at: Date }[] }>(
    `select o.id, o.created_at from ${rowsSql('i', keys)} join operations o on o.project_id = i.project_id and o.id = i.id`,
    rowBindings(keys, writes) as Knex.Value[],
  );
  return new Map(result.rows.map((row) => [row.id, row.created_at]));
}
