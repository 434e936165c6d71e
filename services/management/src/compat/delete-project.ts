import type { Project } from '@sluice/types';
import type { ManagementContext } from '../context';
import { projectNotFound } from '../get-project';

/**
 * Deletes a project with all that is its. First, in one transaction, nobody may enter any more: its keys are gone. Then its installations
 * are deleted, each as DELETE of an installation does, and every secret. What happened in it is erased after the reply, in rounds
 * (`sweepDeletions`); so is all of this if the process dies.
 * @throws NotFoundError `project.not-found` when somebody else has deleted it
 */
export async function deleteProject(context: ManagementContext, { id: projectId }: Project): Promise<void> {
  const { projects } = context.store;
  if (!(await projects.remove(projectId))) throw projectNotFound();
  context.logger.info({ projectId }, 'project.deleted');
  while ((await projects.erase(projectId)) === 'withdrawing');
}
