import { json, type Router } from '@sluice/http';
import { limits, operationExplanationSchema, pageProperties } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getOperation, operationNotFound } from './get-operation';
import { byIndex, paginationOf, placeOf, type PagedQuery } from '../operation-pages';
import { listBytesMax, projectPath } from '../paths';
import { projectRoute } from '../projects/project-route';

interface OperationParts {
  readonly params: { projectIdOrName: string; operationId: string };
  readonly query: PagedQuery;
}

/** `GET P/operations/{operationId}/explanation`. */
export function operationExplanationRoute(router: Router, context: ManagementContext): void {
  router.get(
    `${projectPath}/operations/:operationId/explanation`,
    projectRoute<OperationParts>(context, {
      operationId: 'explainOperation',
      summary: 'Explain an operation',
      description:
        "What happened to each record and why: its plan without values, its call, every attempt with the provider's answer, its outcome. The records of a large operation come in pages of 1 MB.",
      tags: ['Operations'],
      replies: { 200: json(operationExplanationSchema) },
      scopes: ['frontend', 'read', 'write', 'token'],
      query: { type: 'object', additionalProperties: false, properties: pageProperties },
      replyBytesMax: listBytesMax,
      handle: async ({ caller, params, query }, { id: projectId }) => {
        const operation = await getOperation(context, caller, { projectId, operationId: params.operationId });
        const afterIndex = placeOf(query.pageToken, byIndex);
        const size = query.pageSize ?? limits.pageSizeDefault;
        const page = { size, ...(afterIndex === undefined ? {} : { afterIndex }) };
        const course = await context.store.operations.explain(projectId, operation.id, page);
        if (course === undefined) throw operationNotFound();
        const { hasMore, ...explained } = course;
        return { body: { operation, ...explained, pagination: paginationOf(course.records, hasMore, byIndex) } };
      },
    }),
  );
}
