import { NotFoundError } from '@sluice/errors';
import type { Caller, Project } from '@sluice/types';
import type { ManagementContext } from './context';

/** The one project that a key may see; undefined for the bootstrap key, which may see them all. */
export function projectIdOf(caller: Caller): string | undefined {
  // A key without a project would be a defect; it sees nothing, rather than everything.
  return caller.kind === 'admin' ? undefined : (caller.projectId ?? '');
}

/**
 * Id of the project of a path. A key that names its own project by id costs no look: a key goes with its project.
 * @throws NotFoundError `project.not-found`
 */
export async function getProjectId(context: ManagementContext, caller: Caller, idOrName: string): Promise<string> {
  return idOrName === projectIdOf(caller) ? idOrName : (await getProject(context, caller, idOrName)).id;
}

/**
 * The project of a path. Another project's name or id is answered as one that does not exist.
 * @throws NotFoundError `project.not-found`
 */
export async function getProject(context: ManagementContext, caller: Caller, idOrName: string): Promise<Project> {
  const project = await context.store.projects.find(idOrName, projectIdOf(caller));
  if (project !== undefined) return project;
  throw projectNotFound();
}

/** The same for one that was deleted meanwhile, and for another one's. */
export function projectNotFound(): NotFoundError {
  return new NotFoundError({
    code: 'project.not-found',
    detail: 'projectIdOrName: there is no such project for this key.',
  });
}
