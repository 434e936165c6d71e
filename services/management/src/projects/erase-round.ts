import type { Erasure } from '@sluice/store';
import type { ManagementContext } from '../context';

/** One round of erasing a deleted project. @returns undefined when it failed, which is told and left to the next look of `sweepDeletions` */
export async function eraseRound(
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
