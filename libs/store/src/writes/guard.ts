import { DefectError, SluiceError } from '@sluice/errors';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, isRefusedByServer, toDependencyError } from '../database';

/** Repetitions of work that lost a race inside the database. */
const racesMax = 4;

/** Gives driver errors the tree's shape at this package's edge. A lost race is the database's to break and ours to repeat. */
export async function guard<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SluiceError) throw error;
      if (attempt < racesMax && isLostRace(error)) continue;
      throw toStoreError(error);
    }
  }
}

/** Source: reliability notes 2.3. */
const persistBudgetMs = 5_000;

/**
 * Repeats work whose commit may or may not have happened. The work must store the same rows once, however often it runs.
 * Gives up after 5 s with a `DependencyError`.
 */
export async function persist<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SluiceError) throw error;
      const isOver = performance.now() - startedAt > persistBudgetMs;
      if (isOver || (isRefusedByServer(error) && !isLostRace(error))) throw toStoreError(error);
      await sleep(50);
    }
  }
}

/** A value that Postgres does not take is a fault of one row: its neighbours are to be tried without it. */
function toStoreError(error: unknown): SluiceError {
  const code = errorCode(error) ?? '';
  // 22: data, 23: constraint, 54: limit of the program.
  if (!/^(22|23|54)[0-9A-Z]{3}$/.test(code)) return toDependencyError(error);
  return new DefectError({
    code: 'service.defect',
    detail: 'The database refused a value.',
    meta: { sqlState: code },
    cause: error,
  });
}

/** Deadlock, serialisation, and a unique key that a concurrent transaction took between our look and our insert. */
function isLostRace(error: unknown): boolean {
  return ['40P01', '40001', '23505'].includes(errorCode(error) ?? '');
}
