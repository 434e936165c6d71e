import { DefectError, DependencyError, SluiceError } from '@sluice/errors';
import { limits } from '@sluice/types';
import type { Knex } from 'knex';
import { nowhere, type StoreFailpoints } from '../failpoints';
import { persist } from '../guard';
import { claimIn, completeIn, releaseIn, type KeyClaim, type KeyedOperation } from './idempotency-key';
import { joinGroups, type JoinedGroup, type JoiningGroup, type BatchableWrite } from './join-statement';
import { column, rowBindings, rowsSql } from '../row-source';
import type { NewOperation } from './write-rows';
import { nameOf } from './write-source';

/** Where the record went. `operationId` is the master operation that writes it. */
export interface BatchMembership {
  readonly operationId: string;
  readonly index: number;
  readonly acceptedAt: Date;
  readonly dueAt: Date;
  readonly isFull: boolean;
}

/** The answer of a join. `stale`: a pin has changed; `key-taken`: the key belongs to another write; nothing was written. */
export type Joining = BatchMembership | 'stale' | 'key-taken';

type Memberships = Map<string, Joining>;

export interface JoinContext {
  readonly timeScale: number;
  /** @default nowhere */
  readonly failpoints?: StoreFailpoints;
}

interface JoinOptions extends JoinContext {
  /** An earlier try of the same records may have been committed. */
  readonly isRepeated: boolean;
  /** Answers of earlier tries, which stay valid; filled as passes commit, so that one that fails leaves those of the ones before. @default none */
  readonly answers?: Memberships;
}

/** The outcome of one record of a join, or why it has none while others of the same join have theirs. */
export type JoinAnswer = Joining | SluiceError;

type Answers = Map<string, JoinAnswer>;

/**
 * Joins, and repeats for up to 5 s, as `persist` does. A join may take several commits: what fails one of them is returned to those that have
 * no answer yet. A record that an earlier one stored is accepted: a caller that repeated it would have it stored twice.
 * @throws SluiceError when no record has an answer
 */
export async function joinPersistently(
  database: Knex,
  writes: readonly BatchableWrite[],
  context: JoinContext,
): Promise<Answers> {
  const answers = new Map<string, Joining>();
  try {
    return await persist((isRepeated) => insertIntoBatch(database, writes, { ...context, isRepeated, answers }));
  } catch (error) {
    if (answers.size === 0) throw error;
    const others = writes.filter(({ recordId }) => !answers.has(recordId));
    return new Map([...answers, ...(await answerOthers(database, others, context, error as SluiceError))]);
  }
}

/** A value that the database refuses is a fault of one of them: the others are joined without it. */
async function answerOthers(
  database: Knex,
  writes: readonly BatchableWrite[],
  context: JoinContext,
  reason: SluiceError,
): Promise<Answers> {
  const answers: Answers = new Map();
  let latest = reason;
  for (const write of writes) {
    // When the database has become unavailable, all get that at once, not each after 5 s more.
    const isWorthIt = latest instanceof DefectError && writes.length > 1;
    const outcome = isWorthIt ? await joinAlone(database, write, context) : latest;
    if (outcome instanceof SluiceError) latest = outcome;
    answers.set(write.recordId, outcome);
  }
  return answers;
}

async function joinAlone(database: Knex, write: BatchableWrite, context: JoinContext): Promise<JoinAnswer> {
  const answers = joinPersistently(database, [write], context);
  return await answers.then(
    (joined) => joined.get(write.recordId) as JoinAnswer,
    (error: unknown) => error as SluiceError,
  );
}

/**
 * Joins records to the open batches of their keys (installation, object, type). The open batch's row lock is the one
 * that sealing takes too, so a record is a member exactly if its insert committed before the seal, and the id in the
 * reply is the operation that writes it. Running it twice with the same records stores them once: their ids are unique.
 *
 * A statement per pass, which commits by itself, or a transaction where there are idempotency keys. What does not fit into a batch opens the
 * next one in a pass of its own: a transaction that joined twice would wait for one batch while it holds another, out of their order, and
 * two of them for each other.
 */
export async function insertIntoBatch(
  database: Knex,
  writes: readonly BatchableWrite[],
  { timeScale, failpoints = nowhere, isRepeated, answers = new Map() }: JoinOptions,
): Promise<Memberships> {
  const unanswered = (among: readonly BatchableWrite[]) => among.filter(({ recordId }) => !answers.has(recordId));
  const stored = isRepeated ? await findStored(database, unanswered(writes)) : [];
  for (const [recordId, joined] of stored) answers.set(recordId, joined);
  let joining = unanswered(writes);
  for (let lost = 0; joining.length > 0;) {
    const isKeyed = joining.some(({ idempotency }) => idempotency !== undefined);
    const joined = await (isKeyed ? joinKeyed : joinOnce)(database, joining, timeScale);
    for (const [recordId, membership] of joined) answers.set(recordId, membership);
    lost = joined.size > 0 ? 0 : lost + 1;
    if (lost > lostRoundsMax) throw neverOpen();
    joining = unanswered(joining);
    if (joined.size > 0 && joining.length > 0) await failpoints.hit('st.after_join_round');
  }
  return answers;
}

/** How often in a row a statement may find its batch just opened by another one before the join fails. */
const lostRoundsMax = 20;

/** One statement. @returns the records that have their answer; the others found their batch full, or just opened by another statement */
async function joinOnce(database: Knex, writes: readonly BatchableWrite[], timeScale: number): Promise<Memberships> {
  const memberships: Memberships = new Map();
  const groups = groupByBatch(writes);
  const joined = await joinGroups(database, groups, timeScale);
  groups.forEach((group, at) => answer(group, joined[at], memberships));
  return memberships;
}

/**
 * The same with idempotency keys, in one transaction: 1. claim them, before any batch is locked. 2. Join. 3. Store where their records went,
 * and release the keys of those that went nowhere.
 */
async function joinKeyed(database: Knex, writes: readonly BatchableWrite[], timeScale: number): Promise<Memberships> {
  const keyed = writes.filter(({ idempotency }) => idempotency !== undefined);
  return await database.transaction(async (transaction) => {
    const claimed = await claimIn(transaction, keyed.map(toClaim), timeScale);
    const others = keyed.filter(({ operation }) => !claimed.has(operation.id));
    // Taken by another write, or by an earlier try of this one.
    const stored = others.length === 0 ? new Map<string, Joining>() : await findStored(transaction, others);
    const memberships: Memberships = new Map(
      others.map(({ recordId }) => [recordId, stored.get(recordId) ?? 'key-taken']),
    );
    const free = writes.filter(({ recordId }) => !memberships.has(recordId));
    if (free.length > 0)
      for (const [id, joined] of await joinOnce(transaction, free, timeScale)) memberships.set(id, joined);
    const won = keyed.filter(({ operation }) => claimed.has(operation.id));
    await completeIn(
      transaction,
      won.flatMap((write) => toCompleted(write, memberships.get(write.recordId))),
    );
    await releaseIn(
      transaction,
      won.filter(({ recordId }) => typeof memberships.get(recordId) !== 'object').map(toClaim),
    );
    return memberships;
  });
}

/** One group per batch key: the first record and those of its source, as many as a batch holds. Sorted by key. */
function groupByBatch(writes: readonly BatchableWrite[]): JoiningGroup[] {
  const groups = new Map<string, { readonly source: string; readonly writes: BatchableWrite[] }>();
  for (const write of writes) {
    const key = batchKeyOf(write.operation);
    const source = nameOf(write.operation);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { source, writes: [write] });
    else if (group.source === source && group.writes.length < limits.autoBatchRecordsMax) group.writes.push(write);
  }
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function batchKeyOf({ projectId, pins, objectName, type }: NewOperation): string {
  return `${projectId}\n${pins.installationId}\n${type}\n${objectName}`;
}

function answer({ writes }: JoiningGroup, joined: JoinedGroup | 'stale' | undefined, answers: Memberships): void {
  if (joined === undefined) return;
  if (joined === 'stale') {
    for (const { recordId } of writes) answers.set(recordId, joined);
    return;
  }
  const { first, taken, ...batch } = joined;
  writes.slice(0, taken).forEach(({ recordId }, rank) => answers.set(recordId, { ...batch, index: first + rank }));
}

/** A key is named with the operation that its record would open, until the join has decided. */
function toClaim({ operation, idempotency }: BatchableWrite): KeyedOperation {
  return { projectId: operation.projectId, operationId: operation.id, claim: idempotency as KeyClaim };
}

function toCompleted(write: BatchableWrite, joining: Joining | undefined): KeyedOperation[] {
  if (joining === undefined || joining === 'stale' || joining === 'key-taken') return [];
  const { operationId, index } = joining;
  const { ref } = write.record;
  const reply = { kind: 'accepted', operationId, index, ...(ref === undefined ? {} : { ref }) } as const;
  return [{ ...toClaim(write), operationId, reply }];
}

interface StoredRow {
  readonly record_id: string;
  readonly operation_id: string;
  readonly record_index: number;
  readonly created_at: Date;
  readonly due_at: Date;
  readonly is_full: boolean;
}

const recordKeys = [
  column<BatchableWrite>('project_id', 'text', (w) => w.operation.projectId),
  column<BatchableWrite>('record_id', 'text', (w) => w.recordId),
];

/** What an earlier try committed. One that is still committing locks the batch; once it has committed, its record ids are taken. */
async function findStored(database: Knex, writes: readonly BatchableWrite[]): Promise<Memberships> {
  const result = await database.raw<{ rows: StoredRow[] }>(
    `select r.record_id, r.operation_id, r.record_index, o.created_at, o.due_at, o.is_full from ${rowsSql('i', recordKeys)}
     join records r on r.project_id = i.project_id and r.record_id = i.record_id
     join operations o on o.project_id = r.project_id and o.id = r.operation_id`,
    rowBindings(recordKeys, writes) as Knex.Value[],
  );
  return new Map(result.rows.map((row) => [row.record_id, toMembership(row)]));
}

function toMembership(row: StoredRow): BatchMembership {
  return {
    operationId: row.operation_id,
    index: row.record_index,
    acceptedAt: row.created_at,
    dueAt: row.due_at,
    isFull: row.is_full,
  };
}

function neverOpen(): DependencyError {
  const detail = 'The open batch was taken by other writes each time.';
  return new DependencyError({ code: 'service.unavailable', detail, retryAfterMs: 1_000 });
}
