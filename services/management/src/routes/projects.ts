import { route, type Router } from '@sluice/http';
import {
  createProjectRequestSchema,
  updateProjectRequestSchema,
  type CreateProjectRequest,
  type UpdateProjectRequest,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { createProject } from '../create-project';
import { getProject, projectIdOf } from '../get-project';
import { updateProject } from '../update-project';
import { noQuery, projectPath } from './paths';

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

/** `GET` and `POST /v1/projects`, `GET` and `PATCH P`. */
export function projectRoutes(router: Router, context: ManagementContext): void {
  router.get(
    '/v1/projects',
    route({
      scopes: ['admin', 'frontend', 'read'],
      query: noQuery,
      handle: async ({ caller }) => ({ body: await context.store.projects.list(projectIdOf(caller)) }),
    }),
  );
  router.post(
    '/v1/projects',
    route<{ body: CreateProjectRequest }>({
      scopes: ['admin'],
      query: noQuery,
      body: createProjectRequestSchema,
      handle: async ({ body }) => ({ status: 201, body: await createProject(context, body) }),
    }),
  );
  router.get(
    projectPath,
    route<ProjectParts>({
      scopes: ['admin', 'frontend', 'read'],
      query: projectQuery,
      handle: async ({ caller, params, query }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        // There is nothing to be entitled to; published clients read the member when they ask for it.
        return { body: query.includeEntitlements ? { ...project, entitlements: {} } : project };
      },
    }),
  );
  router.patch(
    projectPath,
    route<UpdateParts>({
      scopes: ['admin', 'frontend'],
      query: noQuery,
      body: updateProjectRequestSchema,
      handle: async ({ caller, params, body }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        return { body: await updateProject(context, project, body) };
      },
    }),
  );
}
