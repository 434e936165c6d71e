import { NotFoundError } from '@sluice/errors';
import { reachOf, type Caller, type Operation } from '@sluice/types';
import type { ManagementContext } from '../context';
import type { OperationKey } from './watch-operations';

/** @throws NotFoundError `operation.not-found`, the same for another project's, and for a token another group's */
export async function getOperation(
  { store, readOperation }: ManagementContext,
  caller: Caller,
  key: OperationKey,
): Promise<Operation> {
  const { withinGroupRef } = reachOf(caller);
  const operation =
    withinGroupRef === undefined
      ? await readOperation(key)
      : await store.operations.find(key.projectId, key.operationId, withinGroupRef);
  if (operation === undefined) throw operationNotFound();
  return operation;
}

/** Without the id, so that another project's and one that never was are answered alike, byte for byte. */
export function operationNotFound(): NotFoundError {
  const detail = 'operationId: there is no such operation in this project.';
  return new NotFoundError({ code: 'operation.not-found', detail });
}
