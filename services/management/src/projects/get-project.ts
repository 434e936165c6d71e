import { invalid, routesUnder, type RouteOptions, type Router, type Routes } from '@sluice/http';
import type { Caller, OAuthConnectRequest, Project } from '@sluice/types';
import type { ManagementContext } from '../context';
import { found, notFound } from '../refusals';

/** `P` of the published API. */
export const projectPath = '/v1/projects/:projectIdOrName';

/** The one project that a key may see; undefined for the bootstrap key and for people who signed in, who may see them all. */
export function projectIdOf(caller: Caller): string | undefined {
  // A key without a project would be a defect; it sees nothing, rather than everything.
  return caller.kind === 'admin' || caller.kind === 'person' ? undefined : (caller.projectId ?? '');
}

/**
 * Routes under a project's path: handlers get the project. Another project's name or id is answered as one that does not exist (404
 * `project.not-found`).
 * @param scopes of the routes that name none
 */
export function routesOfProject(
  router: Router,
  { store }: ManagementContext,
  tag: string,
  scopes?: RouteOptions<object>['scopes'],
): Routes<typeof projectPath, Project> {
  return routesUnder(router, projectPath, {
    tags: [tag],
    scopes,
    find: async ({ caller, params }) =>
      found(await store.projects.find(params.projectIdOrName, projectIdOf(caller)), 'project.not-found'),
  });
}

/**
 * Id of the project of a path. A key that names its own project by id costs no statement: a key is deleted with its project.
 * @throws NotFoundError `project.not-found`
 */
export async function getProjectId({ store }: ManagementContext, caller: Caller, idOrName: string): Promise<string> {
  const own = projectIdOf(caller);
  return idOrName === own ? own : found(await store.projects.find(idOrName, own), 'project.not-found').id;
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
  throw notFound('project.not-found', projectIdOrName === undefined ? 'projectId' : 'projectIdOrName');
}
