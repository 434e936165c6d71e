import { NotFoundError } from '@sluice/errors';
import { route, type Router } from '@sluice/http';
import { limits, type Operation, type OperationRecordListReply } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getProject } from '../get-project';
import type { OperationWatch } from '../watch-operations';
import { projectPath } from './paths';

interface OperationParts {
  readonly params: { projectIdOrName: string; operationId: string };
}

interface OperationQuery extends OperationParts {
  readonly query: { waitSeconds?: number };
}

const operationQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    waitSeconds: {
      type: 'integer',
      minimum: limits.waitSecondsMin,
      maximum: limits.waitSecondsMax,
      description: 'Answer when the operation has ended, or after this many seconds.',
    },
  },
} as const;

interface RecordsParts extends OperationParts {
  readonly query: { ref?: string };
}

const recordsQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { ref: { type: 'string', minLength: 1 } },
} as const;

/** `GET P/operations/{operationId}` and `GET P/operations/{operationId}/records`. */
export function operationRoutes(router: Router, context: ManagementContext, watch: OperationWatch): void {
  router.get(
    `${projectPath}/operations/:operationId`,
    route<OperationQuery>({
      scopes: ['frontend', 'read', 'write'],
      query: operationQuery,
      handle: async ({ caller, params, query, signal }) => {
        const { id: projectId } = await getProject(context, caller, params.projectIdOrName);
        const operation = await getOperation(context, projectId, params.operationId);
        const { waitSeconds } = query;
        if (waitSeconds === undefined || operation.status !== 'in_progress') return { body: operation };
        await watch.wait({ projectId, operationId: operation.id }, waitSeconds * 1_000, signal);
        return { body: await getOperation(context, projectId, operation.id) };
      },
    }),
  );
  router.get(
    `${projectPath}/operations/:operationId/records`,
    route<RecordsParts>({
      scopes: ['frontend', 'read', 'write'],
      query: recordsQuery,
      handle: async ({ caller, params, query }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const operation = await getOperation(context, project.id, params.operationId);
        const results = await context.store.operations.listRecords(project.id, operation.id, query.ref);
        // An operation has at most 100 records, so the first page is the last.
        const body: OperationRecordListReply = { results, pagination: { done: true } };
        return { body };
      },
    }),
  );
}

async function getOperation({ store }: ManagementContext, projectId: string, id: string): Promise<Operation> {
  const operation = await store.operations.find(projectId, id);
  if (operation !== undefined) return operation;
  // Without the id, so that another project's and one that never was are answered alike, byte for byte.
  const detail = 'operationId: there is no such operation in this project.';
  throw new NotFoundError({ code: 'operation.not-found', detail });
}
