import { DefectError, SluiceError } from '@sluice/errors';
import { limits } from '@sluice/types';
import type { Knex } from 'knex';
import { isRefusedByServer, neverReached } from '../database-errors';
import { type StoreFailpoints, nowhere } from '../failpoints';
import { beforeSending, persist } from '../guard';
import { newId } from '../new-id';
import { type KeyClaim, type KeyedOperation, claimIn, completeIn, releaseIn } from './idempotency-key';
import {
  type BatchableWrite,
  findCommitted,
  joinGroups,
  type Joining,
  type JoiningGroup,
  type Joinings,
  type JoinStatement,
} from './join-statement';
import { type NewOperation, nameOf } from './write-rows';

export interface JoinContext {
  readonly timeScale: number;
  /** @default nowhere */
  readonly failpoints?: StoreFailpoints;
}

/** Progress of a join, shared by its retries. */
interface JoinProgress {
  /** They stay valid: a statement that fails later leaves those of the statements before. */
  readonly answers: Joinings;
  /** A statement that was sent and has no answer: nobody knows whether it was committed. */
  uncertain?: JoinStatement | undefined;
}

/** The outcome of one record of a join, or why it has none while others of the same join have theirs. */
export type JoinAnswer = Joining | SluiceError;

/**
 * Joins, and repeats for up to 5 s, as `persist` does. A join may take several commits: what fails one of them is returned to those that have
 * no answer yet. A record that an earlier one stored is accepted: a caller that repeated it would have it stored twice. A value that the database
 * refuses is a fault of one record: the others are joined without it.
 * @throws SluiceError when no record has an answer
 */
export async function joinPersistently(
  database: Knex,
  writes: readonly BatchableWrite[],
  context: JoinContext,
): Promise<Map<string, JoinAnswer>> {
  const progress: JoinProgress = { answers: new Map() };
  try {
    return await persist(() => insertIntoBatch(database, writes, context, progress));
  } catch (error) {
    // Taken apart only when it is known that no statement of it can still be committed.
    const isWorthIt = progress.uncertain === undefined && error instanceof DefectError && writes.length > 1;
    if (progress.answers.size === 0 && !isWorthIt) throw error;
    const answers = new Map<string, JoinAnswer>(progress.answers);
    let latest = error as SluiceError;
    for (const write of writes.filter(({ recordId }) => !progress.answers.has(recordId))) {
      // When the database has become unavailable, all get that at once, not each after 5 s more.
      const isTried = isWorthIt && latest instanceof DefectError;
      const alone = isTried ? joinPersistently(database, [write], context) : Promise.reject(latest);
      const answer = await alone.then(
        (joined) => joined.get(write.recordId) as JoinAnswer,
        (reason: SluiceError) => reason,
      );
      if (answer instanceof SluiceError) latest = answer;
      answers.set(write.recordId, answer);
    }
    return answers;
  }
}

/**
 * Joins records to the open batches of their keys (installation, object, type). Joins and whoever closes a batch lock the row of its key. So a record
 * is a member exactly if its insert committed before the batch was closed, and the id in the reply is the operation that writes it.
 *
 * One statement, which commits by itself, or one transaction where there are idempotency keys. A second one for what the first cannot hold: records
 * of a batch key that came with another config or API key, and more than a hundred of it. Before a statement whose reply was lost
 * is repeated, a lookup finds whether it committed, so the same records are stored once.
 */
export async function insertIntoBatch(
  database: Knex,
  writes: readonly BatchableWrite[],
  { timeScale, failpoints = nowhere }: JoinContext,
  progress: JoinProgress = { answers: new Map() },
): Promise<Joinings> {
  const { answers } = progress;
  const unanswered = (): BatchableWrite[] => writes.filter(({ recordId }) => !answers.has(recordId));
  if (progress.uncertain !== undefined) {
    const known = await findCommitted(database, progress.uncertain);
    for (const [recordId, answer] of known ?? []) answers.set(recordId, answer);
    progress.uncertain = undefined;
  }
  for (let joining = unanswered(); joining.length > 0;) {
    const isKeyed = joining.some(({ idempotency }) => idempotency !== undefined);
    const joined = await (
      isKeyed
        ? joinKeyed(database, joining, timeScale, progress)
        : joinGroups(database, begin(progress, joining), timeScale)
    ).catch((error: unknown) => {
      const isUnsent = error instanceof DefectError || neverReached(error);
      if (isUnsent || isRefusedByServer(error)) progress.uncertain = undefined;
      throw error;
    });
    progress.uncertain = undefined;
    for (const [recordId, answer] of joined) answers.set(recordId, answer);
    joining = unanswered();
    if (joining.length > 0) await failpoints.hit('st.after_join_round');
  }
  return answers;
}

/** What one statement joins: what does not fit into it has no answer then. */
function begin(progress: JoinProgress, writes: readonly BatchableWrite[]): JoinStatement {
  progress.uncertain = { id: newId(), groups: beforeSending(() => groupByBatch(writes)) };
  return progress.uncertain;
}

/**
 * A join with idempotency keys, in one transaction: 1. claim them, before any batch is locked. 2. Join. 3. Store where their records went,
 * and release the keys of those that went nowhere.
 */
async function joinKeyed(
  database: Knex,
  writes: readonly BatchableWrite[],
  timeScale: number,
  progress: JoinProgress,
): Promise<Joinings> {
  const keyed = writes.filter(({ idempotency }) => idempotency !== undefined);
  return await database.transaction(async (transaction) => {
    const claimed = await claimIn(transaction, keyed.map(toClaim), timeScale);
    const won = keyed.filter(({ operation }) => claimed.has(operation.id));
    const lost = keyed.filter(({ operation }) => !claimed.has(operation.id));
    const joinings: Joinings = new Map(lost.map(({ recordId }) => [recordId, { kind: 'key-taken' }]));
    const free = writes.filter(({ recordId }) => !joinings.has(recordId));
    const joined = free.length > 0 ? await joinGroups(transaction, begin(progress, free), timeScale) : [];
    for (const [recordId, answer] of joined) joinings.set(recordId, answer);
    const completed = won.flatMap((write) => toCompleted(write, joinings.get(write.recordId)));
    await completeIn(transaction, completed);
    const freed = won.filter(({ recordId }) => joinings.get(recordId)?.kind !== 'joined');
    await releaseIn(transaction, freed.map(toClaim));
    return joinings;
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
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group.writes);
}

function batchKeyOf({ projectId, pins, objectName, type }: NewOperation): string {
  return `${projectId}\n${pins.installationId}\n${type}\n${objectName}`;
}

/** A key is named with the operation that its record would open, until the join has decided. */
function toClaim({ operation, idempotency }: BatchableWrite): KeyedOperation {
  return { projectId: operation.projectId, operationId: operation.id, claim: idempotency as KeyClaim };
}

function toCompleted(write: BatchableWrite, joining: Joining | undefined): KeyedOperation[] {
  if (joining?.kind !== 'joined') return [];
  const { operationId, index, dueAt } = joining;
  const { ref } = write.record;
  const dueTime = dueAt.toISOString();
  const reply = { kind: 'accepted', operationId, index, dueTime, ...(ref === undefined ? {} : { ref }) } as const;
  return [{ ...toClaim(write), operationId, reply }];
}
