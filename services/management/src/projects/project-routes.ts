import { route, type Router, json, jsonList } from '@sluice/http';
import {
  createProjectRequestSchema,
  updateProjectRequestSchema,
  type CreateProjectRequest,
  type UpdateProjectRequest,
  projectSchema,
  checkCreateProjectRequest,
  type Project,
  checkUpdateProjectRequest,
  type Caller,
  type Page,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { pagedList } from '../paged-list';
import { noQuery, projectPath } from '../paths';
import { refuseIssues } from '../refuse-issues';
import { projectIdOf, projectNotFound } from './get-project';
import { projectRoute } from './project-route';

interface UpdateParts {
  readonly params: { projectIdOrName: string };
  readonly body: UpdateProjectRequest;
}

interface ProjectParts {
  readonly params: { projectIdOrName: string };
  readonly query: { includeEntitlements?: boolean };
}

const projectQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { includeEntitlements: { type: 'boolean', default: false } },
} as const;

/** Of every project: without it the published browser client shows the brand of the hosted service, with a picture from elsewhere. */
const entitlements = { brandingRemoval: { value: true } } as const;

/** `GET` and `POST /v1/projects`, `GET` and `PATCH P`. */
export function projectRoutes(router: Router, context: ManagementContext): void {
  router.get(
    '/v1/projects',
    route({
      operationId: 'listProjects',
      summary: 'List projects',
      tags: ['Projects'],
      replies: { 200: jsonList(projectSchema) },
      scopes: ['admin', 'frontend', 'read'],
      query: noQuery,
      handle: async ({ caller, url }) => {
        const read = (page: Page) => context.store.projects.list(projectIdOf(caller), page);
        return await pagedList({ url, query: {} }, read);
      },
    }),
  );
  router.post(
    '/v1/projects',
    route<{ body: CreateProjectRequest }>({
      operationId: 'createProject',
      summary: 'Create a project',
      tags: ['Projects'],
      replies: { 201: json(projectSchema) },
      problems: ['project.name-taken'],
      scopes: ['admin'],
      query: noQuery,
      body: createProjectRequestSchema,
      handle: async ({ body }) => ({ status: 201, body: await createProject(context, body) }),
    }),
  );
  router.get(
    projectPath,
    projectRoute<ProjectParts>(context, {
      operationId: 'getProject',
      summary: 'Get a project',
      tags: ['Projects'],
      replies: { 200: json(projectSchema) },
      scopes: ['admin', 'frontend', 'read', 'token'],
      query: projectQuery,
      handle: async ({ query }, project) => {
        return { body: query.includeEntitlements ? { ...project, entitlements } : project };
      },
    }),
  );
  router.patch(
    projectPath,
    projectRoute<UpdateParts>(context, {
      operationId: 'updateProject',
      summary: 'Change a project',
      tags: ['Projects'],
      replies: { 200: json(projectSchema) },
      problems: ['project.name-taken'],
      scopes: ['admin', 'frontend'],
      body: updateProjectRequestSchema,
      handle: async ({ caller, body }, project) => {
        return { body: await updateProject(context, { caller, project }, body) };
      },
    }),
  );
}

/** @throws ConflictError `project.name-taken` */
async function createProject(context: ManagementContext, request: CreateProjectRequest): Promise<Project> {
  refuseIssues(checkCreateProjectRequest(request));
  const project = await context.store.projects.create(request);
  context.logger.info({ projectId: project.id }, 'project.created');
  return project;
}

/**
 * Changes what the mask names; other values are ignored. Gateways know of it within a second, the age of what they
 * remember of an installation.
 * @throws ConflictError `project.name-taken` for the bootstrap key, which may know of every project
 * @throws NotFoundError `project.not-found` when it was deleted meanwhile
 */
async function updateProject(
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
