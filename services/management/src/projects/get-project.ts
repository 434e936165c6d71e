import { NotFoundError } from '@sluice/errors';
import { invalid } from '@sluice/http';
import type { Caller, OAuthConnectRequest, Project } from '@sluice/types';
import type { ManagementContext } from '../context';

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

/**
 * The project of a body, which names it by one of two members.
 * @throws ValidationError 400 where it has neither, or both do not name the same project
 * @throws NotFoundError `project.not-found`
 */
export async function getNamedProject(
  context: ManagementContext,
  caller: Caller,
  { projectIdOrName, projectId }: Pick<OAuthConnectRequest, 'projectIdOrName' | 'projectId'>,
): Promise<Project> {
  const within = projectIdOf(caller);
  const find = (name: string) => context.store.projects.find(name, within);
  const named = projectIdOrName ?? projectId;
  if (named === undefined)
    throw invalid([{ in: 'body', name: 'projectIdOrName', detail: 'is required, or projectId' }]);
  const project = await find(named);
  const isOther = projectIdOrName !== undefined && projectId !== undefined && projectIdOrName !== projectId;
  if (isOther && (await find(projectId))?.id !== project?.id) {
    const detail = `must name the same project as projectIdOrName, which is "${projectIdOrName}": send one of the two`;
    throw invalid([{ in: 'body', name: 'projectId', detail, value: projectId }]);
  }
  if (project !== undefined) return project;
  throw projectNotFound(projectIdOrName === undefined ? 'projectId' : 'projectIdOrName');
}

/** The same for one that was deleted meanwhile, and for another one's. */
export function projectNotFound(name = 'projectIdOrName'): NotFoundError {
  return new NotFoundError({
    code: 'project.not-found',
    detail: `${name}: there is no such project for this key.`,
  });
}
