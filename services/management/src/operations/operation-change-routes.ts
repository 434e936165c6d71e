import { json, type Router } from '@sluice/http';
import { operationSchema, type Caller, type Operation } from '@sluice/types';
import { ConflictError } from '@sluice/errors';
import type { ManagementContext } from '../context';
import { projectPath } from '../paths';
import { replayOperation } from './replay-operation';
import { getOperation, operationNotFound } from './get-operation';
import type { OperationKey } from './watch-operations';
import { projectRoute } from '../projects/project-route';

interface OperationParts {
  readonly params: { projectIdOrName: string; operationId: string };
}

interface ReplayParts extends OperationParts {
  readonly query: { force: boolean };
}

const replayQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { force: { type: 'boolean', default: false } },
} as const;

/** `POST P/operations/{operationId}:cancel` and `:replay`. Neither reads a body. */
export function operationChangeRoutes(router: Router, context: ManagementContext): void {
  router.post(
    `${projectPath}/operations/:operationId\\:cancel`,
    projectRoute<OperationParts>(context, {
      operationId: 'cancelOperation',
      summary: 'Cancel an operation',
      description:
        'Records that have not been sent end as failed, with the class cancelled. What is being sent finishes. May be repeated.',
      tags: ['Operations'],
      replies: { 202: json(operationSchema) },
      problems: ['operation.ended', 'operation.synchronous'],
      scopes: ['frontend', 'write', 'token'],
      handle: async ({ caller, params }, { id: projectId }) => {
        const key = { projectId, operationId: params.operationId };
        return { status: 202, body: await cancelOperation(context, caller, key) };
      },
    }),
  );
  router.post(
    `${projectPath}/operations/:operationId\\:replay`,
    projectRoute<ReplayParts>(context, {
      operationId: 'replayOperation',
      summary: 'Write the failed records of an operation again',
      description:
        'Answers the operation that writes them. A record is replayed once: a repeated request answers the same operation.',
      tags: ['Operations'],
      replies: { 202: json(operationSchema) },
      problems: [
        'operation.in-progress',
        'operation.synchronous',
        'operation.nothing-to-replay',
        'operation.not-replayable',
        'operation.plan-deleted',
        'operation.quarantined',
      ],
      scopes: ['frontend', 'write', 'token'],
      query: replayQuery,
      handle: async ({ caller, params, query, traceparent }, { id: projectId }) => {
        const order = { projectId, operationId: params.operationId, force: query.force, traceparent };
        return { status: 202, body: await replayOperation(context, caller, order) };
      },
    }),
  );
}

/**
 * Asks for the end of an operation. Only the wish is written here: the batcher seals an open batch, executors end what is
 * not being sent. Idempotent: an operation that was cancelled answers as it stands, also after its end.
 * @throws NotFoundError `operation.not-found`
 * @throws ConflictError `operation.synchronous`, `operation.ended`
 */
async function cancelOperation(context: ManagementContext, caller: Caller, key: OperationKey): Promise<Operation> {
  const { projectId, operationId } = key;
  await getOperation(context, caller, key);
  const request = await context.store.operations.requestCancel(projectId, operationId);
  if (request === 'missing') throw operationNotFound();
  if (request === 'synchronous') {
    const detail = 'operationId: a synchronous write has left by the time its operation can be named.';
    const remedy = 'Read the operation: its write has ended, or ends with the request that made it.';
    throw new ConflictError({ code: 'operation.synchronous', detail, remedy });
  }
  if (request === 'ended') {
    const detail = 'operationId: the operation ended before a cancel was asked for.';
    throw new ConflictError({ code: 'operation.ended', detail });
  }
  context.logger.info({ projectId, operationId, keyId: caller.keyId }, 'operation.cancel-requested');
  return await getOperation(context, caller, key);
}
