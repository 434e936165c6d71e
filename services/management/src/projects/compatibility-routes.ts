import { noBody, route, type Router } from '@sluice/http';
import { type Project, nameText } from '@sluice/types';
import type { ManagementContext } from '../context';
import { noQuery, projectPath } from '../paths';
import { getProject, projectNotFound } from './get-project';
import { eraseRound } from './erase-round';
import { projectRoute } from './project-route';

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
    projectRoute<ProjectParts & { readonly body: CreateGroupRequest }>(context, {
      operationId: 'createGroup',
      summary: 'Make a group',
      description: 'Only older clients need this: a connection makes its group.',
      tags: ['Compatibility'],
      replies: { 201: noBody('The group is there, under this name.') },
      scopes: ['frontend'],
      body: createGroupRequestSchema,
      handle: async ({ body }, { id: projectId }) => {
        await context.store.groups.putGroup({ projectId, ...body });
        return { status: 201 };
      },
    }),
  );
  router.post(
    `${projectPath}/consumers`,
    projectRoute<ProjectParts & { readonly body: CreateConsumerRequest }>(context, {
      operationId: 'createConsumer',
      summary: 'Make a consumer',
      description: 'Only older clients need this: a connection makes its consumer.',
      tags: ['Compatibility'],
      replies: { 201: noBody('The consumer is there, under this name.') },
      scopes: ['frontend'],
      body: createConsumerRequestSchema,
      handle: async ({ body }, { id: projectId }) => {
        await context.store.groups.putConsumer({ projectId, ...body });
        return { status: 201 };
      },
    }),
  );
}

/**
 * Deletes a project with all that is its. First, in one transaction, nobody may enter any more: its keys are gone. Then its installations
 * are deleted, each as DELETE of an installation does, and every secret. What happened in it is erased after the reply, in rounds
 * (`sweepDeletions`); so is all of this if the process dies or the database fails: what was committed first is a deletion, and whoever asked
 * for it has no key to ask again.
 * @throws NotFoundError `project.not-found` when somebody else has deleted it
 */
async function deleteProject(context: ManagementContext, { id: projectId }: Project): Promise<void> {
  if (!(await context.store.projects.remove(projectId))) throw projectNotFound();
  context.logger.info({ projectId }, 'project.deleted');
  while ((await eraseRound(context, projectId)) === 'withdrawing');
}

/** Body of `POST P/groups`. */
interface CreateGroupRequest {
  readonly groupRef: string;
  readonly groupName: string;
}

const createGroupRequestSchema = {
  type: 'object',
  description: 'A group.',
  additionalProperties: false,
  required: ['groupRef', 'groupName'],
  properties: {
    groupRef: { ...nameText, description: "The builder's id of the group." },
    groupName: { ...nameText, description: 'Name of the group.' },
  },
} as const;

/** Body of `POST P/consumers`. */
interface CreateConsumerRequest {
  readonly consumerRef: string;
  readonly consumerName: string;
}

const createConsumerRequestSchema = {
  type: 'object',
  description: 'A consumer.',
  additionalProperties: false,
  required: ['consumerRef', 'consumerName'],
  properties: {
    consumerRef: { ...nameText, description: "The builder's id of the user." },
    consumerName: { ...nameText, description: 'Name of the user.' },
  },
} as const;
