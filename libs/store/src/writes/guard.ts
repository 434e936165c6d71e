import { SluiceError } from '@sluice/errors';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRefusedByServer, toDependencyError } from '../database';

/** Gives driver errors the tree's shape at this package's edge. A deadlock is the database's to break and ours to repeat. */
export async function guard<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SluiceError) throw error;
      if (attempt < 4 && isDeadlock(error)) continue;
      throw toDependencyError(error);
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
      if (isOver || (isRefusedByServer(error) && !isDeadlock(error))) throw toDependencyError(error);
      await sleep(50);
    }
  }
}

function isDeadlock(error: unknown): boolean {
  const code = (error as { code?: string }).code;
  return code === '40P01' || code === '40001';
}
