import { DefectError, SluiceError } from '@sluice/errors';
import type { Knex } from 'knex';
import { persist } from '../guard';
import { insertIntoBatch, type JoinContext, type Joining } from './join-batch';
import type { BatchableWrite } from './join-statement';

/** What a join tells of one record: its answer, or why it has none while others of the same join have theirs. */
export type JoinAnswer = Joining | SluiceError;

type Answers = Map<string, JoinAnswer>;

/**
 * Joins, and repeats for up to 5 s, as `persist` does. A join may take several commits: what fails one of them is told to those who have no answer
 * yet. Who was stored by an earlier one is accepted, and would be stored twice if told to come again.
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
  let told = reason;
  for (const write of writes) {
    // Of a database that has gone meanwhile all hear at once, not each after 5 s more.
    const isWorthIt = told instanceof DefectError && writes.length > 1;
    const answer = isWorthIt ? await joinAlone(database, write, context) : told;
    if (answer instanceof SluiceError) told = answer;
    answers.set(write.recordId, answer);
  }
  return answers;
}

async function joinAlone(database: Knex, write: BatchableWrite, context: JoinContext): Promise<JoinAnswer> {
  const answers = joinPersistently(database, [write], context);
  return await answers.then(
    (told) => told.get(write.recordId) as JoinAnswer,
    (error: unknown) => error as SluiceError,
  );
}
