import { json, jsonList, noBody, type Router } from '@sluice/http';
import {
  checkCreateProjectRequest,
  checkUpdateProjectRequest,
  createProjectRequestSchema,
  nameText,
  projectSchema,
  updateProjectRequestSchema,
  type Caller,
  type CreateProjectRequest,
  type Project,
  type UpdateProjectRequest,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { pagedList } from '../pages';
import { found, notFound, refuseIssues } from '../refusals';
import { offByDefault, queryOf, routesUnder } from '../routes';
import { projectIdOf, routesOfProject } from './get-project';
import { eraseRound } from './sweep-deletions';

/** Of every project: without it the published browser client shows the brand of the hosted service, with a picture from elsewhere. */
const entitlements = { brandingRemoval: { value: true } } as const;

/** `GET` and `POST /v1/projects`, `GET` and `PATCH P`. */
export function projectRoutes(router: Router, context: ManagementContext): void {
  const all = routesUnder(router, { path: '/v1/projects', tags: ['Projects'], find: () => undefined });
  const project = routesOfProject(router, context, 'Projects');
  all.get('', {
    operationId: 'listProjects',
    summary: 'List projects',
    replies: { 200: jsonList(projectSchema) },
    scopes: ['admin', 'frontend', 'read'],
    handle: ({ caller, url }) =>
      pagedList({ url, query: {} }, (page) => context.store.projects.list(projectIdOf(caller), page)),
  });
  all.post('', {
    operationId: 'createProject',
    summary: 'Create a project',
    replies: { 201: json(projectSchema) },
    problems: ['project.name-taken'],
    scopes: ['admin'],
    body: createProjectRequestSchema,
    handle: async ({ body }) => ({ status: 201, body: await createProject(context, body) }),
  });
  project.get('', {
    operationId: 'getProject',
    summary: 'Get a project',
    replies: { 200: json(projectSchema) },
    scopes: ['admin', 'frontend', 'read', 'token'],
    query: queryOf({ includeEntitlements: offByDefault }),
    handle: ({ query }, found) => ({ body: query.includeEntitlements ? { ...found, entitlements } : found }),
  });
  project.patch('', {
    operationId: 'updateProject',
    summary: 'Change a project',
    replies: { 200: json(projectSchema) },
    problems: ['project.name-taken'],
    scopes: ['admin', 'frontend'],
    body: updateProjectRequestSchema,
    handle: async ({ caller, body }, { id }) => ({ body: await updateProject(context, caller, id, body) }),
  });
}

/** @throws ConflictError `project.name-taken` */
async function createProject({ store, logger }: ManagementContext, request: CreateProjectRequest): Promise<Project> {
  refuseIssues(checkCreateProjectRequest(request));
  const project = await store.projects.create(request);
  logger.info({ projectId: project.id }, 'project.created');
  return project;
}

/**
 * Changes what the mask names; other values are ignored. Gateways know of it within a second, the age of what they
 * remember of an installation.
 * @throws ConflictError `project.name-taken` for the bootstrap key, which may know of every project
 * @throws NotFoundError `project.not-found` when it was deleted meanwhile
 */
async function updateProject(
  { store, logger }: ManagementContext,
  caller: Caller,
  projectId: string,
  request: UpdateProjectRequest,
): Promise<Project> {
  refuseIssues(checkUpdateProjectRequest(request));
  const { updateMask, project: values } = request;
  const change = Object.fromEntries(updateMask.map((field) => [field, values[field]])) as typeof values;
  const updated = await store.projects.update(projectId, change, projectIdOf(caller) !== undefined);
  const project = found(updated, 'project.not-found');
  logger.info({ projectId, fields: updateMask.length }, 'project.updated');
  return project;
}

const named = (description: string) => ({ ...nameText, description });

/** Bodies of what older clients make by itself. */
const createGroupRequestSchema = {
  type: 'object',
  description: 'A group.',
  additionalProperties: false,
  required: ['groupRef', 'groupName'],
  properties: { groupRef: named("The builder's id of the group."), groupName: named('Name of the group.') },
} as const;
const createConsumerRequestSchema = {
  type: 'object',
  description: 'A consumer.',
  additionalProperties: false,
  required: ['consumerRef', 'consumerName'],
  properties: { consumerRef: named("The builder's id of the user."), consumerName: named('Name of the user.') },
} as const;

/**
 * What only older clients need: `POST P/groups`, `POST P/consumers`, `DELETE P`. They make groups and consumers by themselves, before a connection
 * does; a ref that is there already gets the name that is sent. Source: published API before its change 194.
 */
export function compatibilityRoutes(router: Router, context: ManagementContext): void {
  const project = routesOfProject(router, context, 'Compatibility');
  project.post('/groups', {
    operationId: 'createGroup',
    summary: 'Make a group',
    description: 'Only older clients need this: a connection makes its group.',
    replies: { 201: noBody('The group is there, under this name.') },
    scopes: ['frontend'],
    body: createGroupRequestSchema,
    handle: async ({ body }, { id: projectId }) => {
      await context.store.groups.putGroup({ projectId, ...body });
      return { status: 201 };
    },
  });
  project.post('/consumers', {
    operationId: 'createConsumer',
    summary: 'Make a consumer',
    description: 'Only older clients need this: a connection makes its consumer.',
    replies: { 201: noBody('The consumer is there, under this name.') },
    scopes: ['frontend'],
    body: createConsumerRequestSchema,
    handle: async ({ body }, { id: projectId }) => {
      await context.store.groups.putConsumer({ projectId, ...body });
      return { status: 201 };
    },
  });
  project.delete('', {
    operationId: 'deleteProject',
    summary: 'Delete a project',
    description:
      'Its keys, installations, connections and all else go with it. Writes that wait fail; what is being sent finishes and is not tried again.',
    replies: { 204: noBody('It is deleted, with all that was its.') },
    // It takes keys, provider apps and webhook endpoints away, which no other scope may.
    scopes: ['admin', 'full'],
    handle: async (_request, { id }) => {
      await deleteProject(context, id);
      return {};
    },
  });
}

/**
 * Deletes a project with all that is its. First, in one transaction, nobody may enter any more: its keys are gone. Then its installations
 * are deleted, each as DELETE of an installation does, and every secret. What happened in it is erased after the reply, in rounds
 * (`sweepDeletions`); so is all of this if the process dies or the database fails: what was committed first is a deletion, and whoever asked
 * for it has no key to ask again.
 * @throws NotFoundError `project.not-found` when somebody else has deleted it
 */
async function deleteProject(context: ManagementContext, projectId: string): Promise<void> {
  if (!(await context.store.projects.remove(projectId))) throw notFound('project.not-found');
  context.logger.info({ projectId }, 'project.deleted');
  while ((await eraseRound(context, projectId)) === 'withdrawing');
}
