import { checkUpdateProjectRequest, type Caller, type Project, type UpdateProjectRequest } from '@sluice/types';
import type { ManagementContext } from '../context';
import { projectIdOf, projectNotFound } from './get-project';
import { refuseIssues } from '../refuse-issues';

/**
 * Changes what the mask names; other values are ignored. Gateways know of it within a second, the age of what they
 * remember of an installation.
 * @throws ConflictError `project.name-taken` for the bootstrap key, which may know of every project
 * @throws NotFoundError `project.not-found` when it was deleted meanwhile
 */
export async function updateProject(
  context: ManagementContext,
  { caller, project }: { readonly caller: Caller; readonly project: Project },
  request: UpdateProjectRequest,
): Promise<Project> {
  refuseIssues(checkUpdateProjectRequest(request));
  const masked = request.updateMask.map((field) => [field, request.project[field]]);
  const change = Object.fromEntries(masked) as typeof request.project;
  const updated = await context.store.projects.update(project.id, change, projectIdOf(caller) !== undefined);
  if (updated === undefined) throw projectNotFound();
  context.logger.info({ projectId: project.id, fields: request.updateMask.length }, 'project.updated');
  return updated;
}
