import { checkUpdateProjectRequest, type Project, type UpdateProjectRequest } from '@sluice/types';
import type { ManagementContext } from './context';
import { refuseIssues } from './refuse-issues';

/**
 * Changes what the mask names; other values are ignored. Gateways know of it within a second, the age of what they
 * remember of an installation.
 * @throws ConflictError `project.name-taken`
 */
export async function updateProject(
  context: ManagementContext,
  project: Project,
  request: UpdateProjectRequest,
): Promise<Project> {
  refuseIssues(checkUpdateProjectRequest(request));
  const masked = request.updateMask.map((field) => [field, request.project[field]]);
  const updated = await context.store.projects.update(project.id, Object.fromEntries(masked) as typeof request.project);
  context.logger.info({ projectId: project.id, fields: request.updateMask.length }, 'project.updated');
  // Projects are not deleted, so the one that was just found is still there.
  return updated ?? project;
}
