import { NotFoundError } from '@sluice/errors';
import { route, type Router } from '@sluice/http';
import type { Operation, OperationRecordListReply } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getProject } from '../get-project';
import { noQuery, projectPath } from './paths';

interface OperationParts {
  readonly params: { projectIdOrName: string; operationId: string };
}

interface RecordsParts extends OperationParts {
  readonly query: { ref?: string };
}

const recordsQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { ref: { type: 'string', minLength: 1 } },
} as const;

/** `GET P/operations/{operationId}` and `GET P/operations/{operationId}/records`. */
export function operationRoutes(router: Router, context: ManagementContext): void {
  router.get(
    `${projectPath}/operations/:operationId`,
    route<OperationParts>({
      scopes: ['frontend', 'read', 'write'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        return { body: await getOperation(context, project.id, params.operationId) };
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
