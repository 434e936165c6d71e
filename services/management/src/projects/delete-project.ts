import type { Project } from '@sluice/types';
import type { ManagementContext } from '../context';
import { projectNotFound } from './get-project';
import { eraseRound } from './erase-round';

/**
 * Deletes a project with all that is its. First, in one transaction, nobody may enter any more: its keys are gone. Then its installations
 * are deleted, each as DELETE of an installation does, and every secret. What happened in it is erased after the reply, in rounds
 * (`sweepDeletions`); so is all of this if the process dies or the database fails: what was committed first is a deletion, and whoever asked
 * for it has no key to ask again.
 * @throws NotFoundError `project.not-found` when somebody else has deleted it
 */
export async function deleteProject(context: ManagementContext, { id: projectId }: Project): Promise<void> {
  if (!(await context.store.projects.remove(projectId))) throw projectNotFound();
  context.logger.info({ projectId }, 'project.deleted');
  while ((await eraseRound(context, projectId)) === 'withdrawing');
}
