import { json, route, type Router } from '@sluice/http';
import { operationProgressSchema } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getOperation, operationNotFound } from './get-operation';
import { getProjectId } from '../projects/get-project';
import { noQuery, projectPath } from '../paths';

interface OperationParts {
  readonly params: { projectIdOrName: string; operationId: string };
}

/** `GET P/operations/{operationId}/progress`: a batch filling and draining. */
export function operationProgressRoutes(router: Router, context: ManagementContext): void {
  router.get(
    `${projectPath}/operations/:operationId/progress`,
    route<OperationParts>({
      operationId: 'getOperationProgress',
      summary: 'See how far an operation is',
      description: 'Records by outcome and calls by state; of an auto-batch how full it is and when it is sealed.',
      tags: ['Operations'],
      replies: { 200: json(operationProgressSchema) },
      scopes: ['frontend', 'read', 'write', 'token'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const projectId = await getProjectId(context, caller, params.projectIdOrName);
        const { id } = await getOperation(context, caller, { projectId, operationId: params.operationId });
        const progress = await context.store.operations.readProgress(projectId, id);
        if (progress === undefined) throw operationNotFound();
        return { body: progress };
      },
    }),
  );
}
