import type { Erasure } from '@sluice/store';
import { repeat } from '@sluice/telemetry';
import type { ManagementContext } from '../context';

/** Pause between two sweeps: until then calls that were being sent have not ended, or a process died while it deleted a project. */
const everyMs = 10_000;

/** Erases what is left of deleted projects. Any number of processes may do so. Returns a function that ends it. */
export function sweepDeletions(context: ManagementContext): () => Promise<void> {
  const onFailure = (error: unknown) => context.logger.warn({ error }, 'project.erasure-failed');
  return repeat((isEnded) => sweep(context, isEnded), { everyMs, isFirstNow: true, onFailure });
}

/**
 * One step of each project in turn, also of those that are deleted meanwhile. A large project takes long to erase, and the access of another one is
 * to end within seconds. A project that has to wait, or that fails, is left to the next sweep and does not delay the others.
 */
async function sweep(context: ManagementContext, isEnded: () => boolean): Promise<void> {
  const resting = new Set<string>();
  const next = async (): Promise<string[]> =>
    (await context.store.projects.removed()).filter((projectId) => !resting.has(projectId));
  for (let due = await next(); due.length > 0; due = await next()) {
    for (const projectId of due) {
      if (isEnded()) return;
      const erasure = await eraseStep(context, projectId);
      if (erasure !== 'withdrawing' && erasure !== 'erasing') resting.add(projectId);
    }
  }
}

/** One step of erasing a deleted project. @returns undefined when it failed, which is logged and left to the next sweep */
export async function eraseStep(
  { logger, store: { projects } }: Pick<ManagementContext, 'logger' | 'store'>,
  projectId: string,
): Promise<Erasure | undefined> {
  try {
    const erasure = await projects.erase(projectId);
    if (erasure === 'done') logger.info({ projectId }, 'project.erased');
    return erasure;
  } catch (error) {
    logger.warn({ error, projectId }, 'project.erasure-failed');
    return undefined;
  }
}
