import { ConflictError, ForbiddenError, RequestError, type ProblemCode } from '@sluice/errors';
import { newId, type ReplayRefusal } from '@sluice/store';
import type { Caller, Operation } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getOperation, operationNotFound } from './get-operation';
import type { OperationKey } from './watch-operations';

/** A replay as it was asked for. */
export interface ReplayOrder extends OperationKey {
  /** Also records of unknown outcome. */
  readonly force: boolean;
  readonly traceparent: string;
}

/** What was to be written is deleted with age: it was there, and will not come back. */
class GoneError extends RequestError {}

const refusals: Record<Exclude<ReplayRefusal, 'missing'>, { code: ProblemCode; detail: string }> = {
  synchronous: {
    code: 'operation.synchronous',
    detail: 'the operation was synchronous: its caller has the outcome, and can send the write again',
  },
  'in-progress': {
    code: 'operation.in-progress',
    detail: 'the operation has not ended; its records may still be written',
  },
  'nothing-to-replay': { code: 'operation.nothing-to-replay', detail: 'no record of the operation failed' },
  'not-writable': {
    code: 'operation.not-replayable',
    detail: "the manifest does not declare the operation's object for writing any more",
  },
  uninstalled: { code: 'operation.not-replayable', detail: 'the installation of the operation was deleted' },
  moved: {
    code: 'operation.not-replayable',
    detail: 'the installation is connected to another provider account than the records were meant for',
  },
  'plan-deleted': {
    code: 'operation.plan-deleted',
    detail: 'the retention time of the records is over, and what was to be written was deleted',
  },
  quarantined: {
    code: 'operation.quarantined',
    detail: 'executors died of records of this operation, so only an API key may write them again, not a bearer token',
  },
};

/**
 * Opens an operation of the failed records of an ended one, each with the plan it was accepted with: the request is not kept,
 * and the plan is what was promised. Idempotent: a record is replayed once, and a repetition answers the operation made first.
 * @throws NotFoundError `operation.not-found`
 * @throws ConflictError, ForbiddenError see `refusals`
 */
export async function replayOperation(
  context: ManagementContext,
  caller: Caller,
  order: ReplayOrder,
): Promise<Operation> {
  const { projectId, operationId } = order;
  const operation = await getOperation(context, caller, order);
  const isWritable = await declaresForWriting(context, operation);
  // Whoever holds a customer's token must not be able to end the executors of all projects once more.
  const mayReplayQuarantined = caller.kind !== 'token';
  const replaying = await context.store.writes.replay({ ...order, newId: newId(), isWritable, mayReplayQuarantined });
  if ('refusal' in replaying) throw refused(replaying.refusal);
  const replayedBy = replaying.operationId;
  if (replaying.isNew) {
    context.logger.info({ projectId, operationId, replayedBy, keyId: caller.keyId }, 'operation.replayed');
  }
  return await getOperation(context, caller, { projectId, operationId: replayedBy });
}

async function declaresForWriting({ store }: ManagementContext, operation: Operation): Promise<boolean> {
  const integration = await store.integrations.find(operation.projectId, operation.integrationId);
  const objects = integration?.latestRevision.content.write?.objects ?? [];
  return objects.some(({ objectName }) => objectName === operation.resource);
}

function refused(refusal: ReplayRefusal): RequestError {
  if (refusal === 'missing') return operationNotFound();
  const { code, detail } = refusals[refusal];
  const options = { code, detail: `operationId: ${detail}.` };
  if (refusal === 'quarantined') return new ForbiddenError(options);
  return refusal === 'plan-deleted' ? new GoneError(options) : new ConflictError(options);
}
