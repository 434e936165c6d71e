import type { Knex } from 'knex';
import { acceptSingles, areSingles } from './accept-singles';
import { acceptStatement } from './accept-statement';
import type { KeyClaim } from './idempotency-key';
import { column, rowBindings, rowsSql } from '../row-source';
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
  /** Answers of earlier tries, which hold; filled as soon as they are known, so that what fails afterwards leaves them. @default none */
  readonly answers?: Map<string, Acceptance>;
}

/**
 * Accepts many writes in one statement: one committed transaction is the promise.
 * Running it twice with the same rows stores them once, so it is also the answer to a COMMIT of unknown outcome.
 * `accept_seq` is drawn once per request, inside the insert: with the index it is the only definition of accept order.
 */
export async function insertAccepted(
  database: Knex,
  writes: readonly AcceptableWrite[],
  { timeScale, isRepeated, answers = new Map() }: AcceptOptions,
): Promise<Map<string, Acceptance>> {
  const isUnanswered = ({ operation }: AcceptableWrite): boolean => !answers.has(operation.id);
  const asked = writes.filter(isUnanswered);
  const grouped = groupBySource(asked.map((write) => write.operation));
  const build = !isRepeated && areSingles(asked) ? acceptSingles : acceptStatement;
  const { name, sql, bindings } = build(asked, grouped, timeScale);
  const result = await database
    .raw<{ rows: [Inserted] }>(sql, bindings as Knex.Value[])
    .options(name === undefined ? {} : { name });
  const [inserted] = result.rows;
  const [isCurrent, isClaimed] = [new Set(inserted.sources), new Set(inserted.claimed)];
  const refusals = new Map<string, Acceptance>();
  for (const [at, { operation, idempotency }] of asked.entries()) {
    if (!isCurrent.has(grouped.sourceOf[at] as number)) refusals.set(operation.id, 'stale');
    else if (idempotency !== undefined && !isClaimed.has(operation.id)) refusals.set(operation.id, 'key-taken');
  }
  const stored = asked.filter(({ operation }) => !refusals.has(operation.id));
  // As many as there were to store: this statement has stored each of them.
  if (inserted.opened === stored.length) {
    for (const { operation } of stored) answers.set(operation.id, { acceptedAt: inserted.accepted_at });
  }
  const left = asked.filter(isUnanswered);
  if (left.length > 0) await answerLeft(database, left, { refusals, answers });
  return answers;
}

/**
 * What an earlier try has stored is accepted, whatever this one would refuse. Of what neither refused nor stored now an earlier try has: when
 * that cannot be read, nobody may be told that nothing was written.
 */
async function answerLeft(
  database: Knex,
  left: readonly AcceptableWrite[],
  { refusals, answers }: Record<'refusals' | 'answers', Map<string, Acceptance>>,
): Promise<void> {
  const isAnyStored = left.some(({ operation }) => !refusals.has(operation.id));
  const known = await findStored(database, left).catch((cause: unknown) => {
    throw isAnyStored ? new Error('an accept was stored and cannot be read', { cause }) : cause;
  });
  for (const { operation } of left) {
    const createdAt = known.get(operation.id);
    const answer = createdAt === undefined ? refusals.get(operation.id) : { acceptedAt: createdAt };
    if (answer === undefined) throw new Error('an accept of unknown outcome is still under way');
    answers.set(operation.id, answer);
  }
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
