import type { SluiceError } from '@sluice/errors';
import type { Knex } from 'knex';
import { insertAccepted, type Acceptance, type AcceptableWrite } from './accept-writes';
import { persist } from '../guard';

/** What an accept tells of one write: its answer, or why it has none while others of the same flush have theirs. */
export type AcceptAnswer = Acceptance | SluiceError;

/**
 * Accepts, and repeats for up to 5 s, as `persist` does. Who was stored is accepted, whatever fails the look at the others: told to come
 * again, it would be stored twice.
 * @throws SluiceError when no write has an answer
 */
export async function acceptPersistently(
  database: Knex,
  writes: readonly AcceptableWrite[],
  timeScale: number,
): Promise<Map<string, AcceptAnswer>> {
  const answers = new Map<string, Acceptance>();
  try {
    return await persist((isRepeated) => insertAccepted(database, writes, { timeScale, isRepeated, answers }));
  } catch (error) {
    if (answers.size === 0) throw error;
    const tell = ({ operation: { id } }: AcceptableWrite): [string, AcceptAnswer] => [
      id,
      answers.get(id) ?? (error as SluiceError),
    ];
    return new Map(writes.map(tell));
  }
}
