import type { ManagementContext } from '../context';
import { eraseRound } from './erase-round';

/** How often it is looked whether what was being sent has ended, and whether a process died while it deleted a project. */
const everyMs = 10_000;

/** Erases what is left of deleted projects. Any number of processes may do so. Returns a function that ends it. */
export function sweepDeletions(context: ManagementContext): () => Promise<void> {
  const { logger } = context;
  let isEnded = false;
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= sweep(context, () => isEnded)
      .catch((error: unknown) => logger.warn({ error }, 'project.erasure-failed'))
      .finally(() => (running = undefined));
  };
  run();
  const timer = setInterval(run, everyMs);
  return async () => {
    isEnded = true;
    clearInterval(timer);
    await running;
  };
}

/**
 * A round of each project in turn, also of those that come meanwhile: what a large one did takes long to erase, and the access of another
 * one is to end within seconds.
 */
async function sweep(context: ManagementContext, isEnded: () => boolean): Promise<void> {
  const resting = new Set<string>();
  const next = async (): Promise<string[]> =>
    (await context.store.projects.removed()).filter((projectId) => !resting.has(projectId));
  for (let due = await next(); due.length > 0; due = await next()) {
    for (const projectId of due) {
      if (isEnded()) return;
      if (!(await advance(context, projectId))) resting.add(projectId);
    }
  }
}

/** @returns whether there is more to do at once: not for one that waits, nor for one that cannot be erased, which does not keep the others */
async function advance(context: ManagementContext, projectId: string): Promise<boolean> {
  const erasure = await eraseRound(context, projectId);
  return erasure === 'withdrawing' || erasure === 'erasing';
}
