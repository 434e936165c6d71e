import { checkCreateProjectRequest, type CreateProjectRequest, type Project } from '@sluice/types';
import type { ManagementContext } from '../context';
import { refuseIssues } from '../refuse-issues';

/** @throws ConflictError `project.name-taken` */
export async function createProject(context: ManagementContext, request: CreateProjectRequest): Promise<Project> {
  refuseIssues(checkCreateProjectRequest(request));
  const project = await context.store.projects.create(request);
  context.logger.info({ projectId: project.id }, 'project.created');
  return project;
}
