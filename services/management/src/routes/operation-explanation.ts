import { json, route, type Router } from '@sluice/http';
import { operationExplanationSchema } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getOperation, operationNotFound } from '../get-operation';
import { getProject } from '../get-project';
import { noQuery, projectPath } from './paths';

interface OperationParts {
  readonly params: { projectIdOrName: string; operationId: string };
}

/** `GET P/operations/{operationId}/explanation`. */
export function operationExplanationRoute(router: Router, context: ManagementContext): void {
  router.get(
    `${projectPath}/operations/:operationId/explanation`,
    route<OperationParts>({
      operationId: 'explainOperation',
      summary: 'Explain an operation',
      description:
        "What happened to each record and why: its plan without values, its call, every attempt with the provider's answer, its outcome.",
      tags: ['Operations'],
      replies: { 200: json(operationExplanationSchema) },
      scopes: ['frontend', 'read', 'write', 'token'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const { id: projectId } = await getProject(context, caller, params.projectIdOrName);
        const operation = await getOperation(context, caller, { projectId, operationId: params.operationId });
        const course = await context.store.operations.explain(projectId, operation.id);
        if (course === undefined) throw operationNotFound();
        return { body: { operation, ...course } };
      },
    }),
  );
}
