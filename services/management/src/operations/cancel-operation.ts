import { ConflictError } from '@sluice/errors';
import type { Caller, Operation } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getOperation, operationNotFound } from './get-operation';
import type { OperationKey } from './watch-operations';

/**
 * Asks for the end of an operation. Only the wish is written here: the batcher seals an open batch, executors end what is
 * not being sent. Idempotent: an operation that was cancelled answers as it stands, also after its end.
 * @throws NotFoundError `operation.not-found`
 * @throws ConflictError `operation.synchronous`, `operation.ended`
 */
export async function cancelOperation(
  context: ManagementContext,
  caller: Caller,
  key: OperationKey,
): Promise<Operation> {
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
