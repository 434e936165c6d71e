import { json, type Router } from '@sluice/http';
import { operationListReplySchema, pageProperties, type OperationListReply, type OperationStatus } from '@sluice/types';
import { withinGroup } from '../caller-group';
import type { ManagementContext } from '../context';
import { getInstallation } from '../installations/get-installation';
import { getIntegration } from '../integrations/get-integration';
import { byId, readPage, type PagedQuery } from '../operation-pages';
import { readMoment } from '../read-moment';
import { integrationPath, projectPath } from '../paths';
import { projectRoute } from '../projects/project-route';

interface InstallationParts {
  readonly params: { projectIdOrName: string; integrationId: string; installationId: string };
  readonly query: PagedQuery;
}

interface ProjectParts {
  readonly params: { projectIdOrName: string };
  readonly query: PagedQuery & {
    readonly status?: OperationStatus;
    readonly groupRef?: string;
    readonly objectName?: string;
    readonly since?: string;
  };
}

const pageQuery = { type: 'object', additionalProperties: false, properties: pageProperties } as const;

const projectQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    status: { type: 'string', enum: ['in_progress', 'success', 'failure'] },
    groupRef: { type: 'string', minLength: 1 },
    objectName: { type: 'string', minLength: 1 },
    since: { type: 'string', format: 'date-time' },
    ...pageProperties,
  },
} as const;

const nothing: OperationListReply = { results: [], pagination: { done: true } };

/** `GET I/installations/{installationId}/operations` and `GET P/operations`: newest first, always paged. */
export function operationListRoutes(router: Router, context: ManagementContext): void {
  const { operations } = context.store;
  router.get(
    `${integrationPath}/installations/:installationId/operations`,
    projectRoute<InstallationParts>(context, {
      operationId: 'listOperations',
      summary: 'List the operations of an installation',
      tags: ['Operations'],
      replies: { 200: json(operationListReplySchema) },
      scopes: ['frontend', 'read', 'write', 'token'],
      query: pageQuery,
      handle: async ({ caller, params, query }, { id: projectId }) => {
        const integration = await getIntegration(context, projectId, params.integrationId);
        const { id: installationId } = await getInstallation(context, integration, params.installationId, caller);
        const list = (beforeId: string | undefined, limit: number) =>
          operations.list(projectId, { installationId, limit, ...(beforeId === undefined ? {} : { beforeId }) });
        return { body: await readPage(query, byId, list) };
      },
    }),
  );
  router.get(
    `${projectPath}/operations`,
    projectRoute<ProjectParts>(context, {
      operationId: 'listOperationsForProject',
      summary: 'Find operations of a project',
      description: 'The filters are joined by AND. groupRef finds operations of installations that exist now.',
      tags: ['Operations'],
      replies: { 200: json(operationListReplySchema) },
      scopes: ['frontend', 'read', 'write', 'token'],
      query: projectQuery,
      handle: async ({ caller, query }, { id: projectId }) => {
        const filter = withinGroup(caller, toFilter(query));
        if (filter === 'nothing') return { body: nothing };
        const list = (beforeId: string | undefined, limit: number) =>
          operations.list(projectId, { ...filter, limit, ...(beforeId === undefined ? {} : { beforeId }) });
        return { body: await readPage(query, byId, list) };
      },
    }),
  );
}

function toFilter({ status, groupRef, objectName, since }: ProjectParts['query']) {
  return {
    ...(status === undefined ? {} : { status }),
    ...(groupRef === undefined ? {} : { groupRef }),
    ...(objectName === undefined ? {} : { objectName }),
    ...(since === undefined ? {} : { since: readMoment('since', since) }),
  };
}
