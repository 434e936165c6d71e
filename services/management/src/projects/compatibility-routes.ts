import { noBody, route, type Router } from '@sluice/http';
import type { ManagementContext } from '../context';
import { getProject } from './get-project';
import { noQuery, projectPath } from '../paths';
import {
  createConsumerRequestSchema,
  createGroupRequestSchema,
  type CreateConsumerRequest,
  type CreateGroupRequest,
} from './compatibility-requests';
import { deleteProject } from './delete-project';

interface ProjectParts {
  readonly params: { projectIdOrName: string };
}

/** What only older clients need. */
export function compatibilityRoutes(router: Router, context: ManagementContext): void {
  madeAloneRoutes(router, context);
  router.delete(
    projectPath,
    route<ProjectParts>({
      operationId: 'deleteProject',
      summary: 'Delete a project',
      description:
        'Its keys, installations, connections and all else go with it. Writes that wait fail; what is being sent finishes and is not tried again.',
      tags: ['Compatibility'],
      replies: { 204: noBody('It is deleted, with all that was its.') },
      // It takes keys, provider apps and webhook endpoints away, which no other scope may.
      scopes: ['admin', 'full'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        await deleteProject(context, await getProject(context, caller, params.projectIdOrName));
        return { status: 204 };
      },
    }),
  );
}

/**
 * Older clients make groups and consumers by themselves, before a connection does.
 * A ref that is there already gets the name that is sent. Source: published API before its change 194.
 */
function madeAloneRoutes(router: Router, context: ManagementContext): void {
  router.post(
    `${projectPath}/groups`,
    route<ProjectParts & { readonly body: CreateGroupRequest }>({
      operationId: 'createGroup',
      summary: 'Make a group',
      description: 'Only older clients need this: a connection makes its group.',
      tags: ['Compatibility'],
      replies: { 201: noBody('The group is there, under this name.') },
      scopes: ['frontend'],
      query: noQuery,
      body: createGroupRequestSchema,
      handle: async ({ caller, params, body }) => {
        const { id: projectId } = await getProject(context, caller, params.projectIdOrName);
        await context.store.groups.putGroup({ projectId, ...body });
        return { status: 201 };
      },
    }),
  );
  router.post(
    `${projectPath}/consumers`,
    route<ProjectParts & { readonly body: CreateConsumerRequest }>({
      operationId: 'createConsumer',
      summary: 'Make a consumer',
      description: 'Only older clients need this: a connection makes its consumer.',
      tags: ['Compatibility'],
      replies: { 201: noBody('The consumer is there, under this name.') },
      scopes: ['frontend'],
      query: noQuery,
      body: createConsumerRequestSchema,
      handle: async ({ caller, params, body }) => {
        const { id: projectId } = await getProject(context, caller, params.projectIdOrName);
        await context.store.groups.putConsumer({ projectId, ...body });
        return { status: 201 };
      },
    }),
  );
}
