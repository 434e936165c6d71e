import { invalid } from '@sluice/http';
import type { CreateProjectRequest, Project } from '@sluice/types';
import type { ManagementContext } from './context';

const looksLikeId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Spec is silent; we chose that a name must not look like an id, because both stand in the same place of a path.
 * @throws ConflictError `project.name-taken`
 */
export async function createProject(context: ManagementContext, request: CreateProjectRequest): Promise<Project> {
  if (looksLikeId.test(request.name)) {
    throw invalid([{ in: 'body', name: 'name', detail: 'must not have the form of an id', value: request.name }]);
  }
  const project = await context.store.projects.create(request);
  context.logger.info({ projectId: project.id }, 'project.created');
  return project;
}
