import { json, jsonList, noBody, offByDefault, queryOf, routesUnder, type Router } from '@sluice/http';
import {
  checkCreateProjectRequest,
  checkUpdateProjectRequest,
  createProjectRequestSchema,
  nameText,
  projectSchema,
  updateProjectRequestSchema,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { wholeList } from '../pages';
import { found, notFound, refuseIssues } from '../refusals';
import { projectIdOf, routesOfProject } from './get-project';
import { eraseStep } from './sweep-deletions';

/** Of every project: without it the published browser client shows the brand of the hosted service, with a picture from elsewhere. */
const entitlements = { brandingRemoval: { value: true } } as const;

export function projectRoutes(router: Router, context: ManagementContext): void {
  const { logger, store } = context;
  const all = routesUnder(router, '/v1/projects', { tags: ['Projects'], find: () => undefined });
  const ofProject = routesOfProject(router, context, 'Projects');
  all.get('', 'listProjects', {
    summary: 'List projects',
    replies: { 200: jsonList(projectSchema) },
    scopes: ['admin', 'frontend', 'read'],
    handle: (request) => {
      const withinProjectId = projectIdOf(request.caller);
      return wholeList(request, (page) => store.projects.listPage(withinProjectId, page));
    },
  });
  all.post('', 'createProject', {
    summary: 'Create a project',
    replies: { 201: json(projectSchema) },
    problems: ['project.name-taken'],
    scopes: ['admin'],
    body: createProjectRequestSchema,
    answer: async ({ body }) => {
      refuseIssues(checkCreateProjectRequest(body));
      // The published shape requires it, and nothing here reads it.
      const project = await store.projects.create({ orgId: body.name.toLowerCase(), ...body });
      logger.info({ projectId: project.id }, 'project.created');
      return project;
    },
  });
  ofProject.get('', 'getProject', {
    summary: 'Get a project',
    replies: { 200: json(projectSchema) },
    scopes: ['admin', 'frontend', 'read', 'token'],
    query: queryOf({ includeEntitlements: offByDefault }),
    answer: ({ query }, project) => (query.includeEntitlements ? { ...project, entitlements } : project),
  });
  ofProject.patch('', 'updateProject', {
    summary: 'Change a project',
    replies: { 200: json(projectSchema) },
    problems: ['project.name-taken'],
    scopes: ['admin', 'frontend'],
    body: updateProjectRequestSchema,
    // Other values are ignored. Gateways know of it within a second, the age of what they remember of an installation. Only the bootstrap key,
    // which may know of every project, learns that a name is taken.
    answer: async ({ caller, body }, { id: projectId }) => {
      refuseIssues(checkUpdateProjectRequest(body));
      const { updateMask, project: values } = body;
      const change = Object.fromEntries(updateMask.map((field) => [field, values[field]])) as typeof values;
      const updated = await store.projects.update(projectId, change, projectIdOf(caller) !== undefined);
      const project = found(updated, 'project.not-found');
      logger.info({ projectId, fields: updateMask.length }, 'project.updated');
      return project;
    },
  });
}

/** A body of what older clients make by itself: a ref and a name. */
function bodyOf<const Properties extends object>(description: string, properties: Properties) {
  const required = Object.keys(properties) as (keyof Properties)[];
  return { type: 'object', description, additionalProperties: false, required, properties } as const;
}
const named = (description: string) => ({ ...nameText, description });
const createGroupRequestSchema = bodyOf('A group.', {
  groupRef: named("The builder's id of the group."),
  groupName: named('Name of the group.'),
});
const createConsumerRequestSchema = bodyOf('A consumer.', {
  consumerRef: named("The builder's id of the user."),
  consumerName: named('Name of the user.'),
});

/**
 * What only older clients need: `POST P/groups`, `POST P/consumers`, `DELETE P`. They make groups and consumers by themselves, before a connection
 * does; a ref that is there already gets the name that is sent. Source: published API before its change 194.
 */
export function compatibilityRoutes(router: Router, context: ManagementContext): void {
  const ofProject = routesOfProject(router, context, 'Compatibility', ['frontend']);
  ofProject.post('/groups', 'createGroup', {
    summary: 'Make a group',
    description: 'Only older clients need this: a connection makes its group.',
    replies: { 201: noBody('The group is there, under this name.') },
    body: createGroupRequestSchema,
    answer: ({ body }, { id: projectId }) => context.store.groups.putGroup({ projectId, ...body }),
  });
  ofProject.post('/consumers', 'createConsumer', {
    summary: 'Make a consumer',
    description: 'Only older clients need this: a connection makes its consumer.',
    replies: { 201: noBody('The consumer is there, under this name.') },
    body: createConsumerRequestSchema,
    answer: ({ body }, { id: projectId }) => context.store.groups.putConsumer({ projectId, ...body }),
  });
  ofProject.delete('', 'deleteProject', {
    summary: 'Delete a project',
    description:
      'Its keys, installations, connections and everything else are deleted with it. Waiting writes fail. Calls that are being sent finish and are not retried.',
    replies: { 204: noBody('The project and everything in it are deleted.') },
    // It takes keys, provider apps and webhook endpoints away, which no other scope may.
    scopes: ['admin', 'full'],
    // First, in one transaction, its keys are deleted, so that no caller may enter any more. Then its installations are deleted, each as DELETE of an
    // installation does, and every secret. What happened in the project is erased after the reply, step by step (`sweepDeletions`). The same holds if
    // the process dies or the database fails: the deletion was committed first, and the caller has no key left to repeat the request.
    answer: async (_request, { id: projectId }) => {
      if (!(await context.store.projects.remove(projectId))) throw notFound('project.not-found');
      context.logger.info({ projectId }, 'project.deleted');
      while ((await eraseStep(context, projectId)) === 'withdrawing');
    },
  });
}
