import { ConflictError, ForbiddenError, RequestError, type ProblemCode } from '@sluice/errors';
import { newId, type ReplayRefusal } from '@sluice/store';
import type { Caller, Operation } from '@sluice/types';
import type { ManagementContext } from '../context';
import { notFound } from '../refusals';

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
 * and the plan is what was promised. With `force` also of those of unknown outcome. Idempotent: a record is replayed once, and a repetition answers the operation made first.
 * @returns the id of that operation
 * @throws NotFoundError `operation.not-found`
 * @throws ConflictError, ForbiddenError see `refusals`
 */
export async function replayOperation(
  { logger, store }: ManagementContext,
  { projectId, id: operationId, integrationId, resource }: Operation,
  { caller, ...order }: { caller: Caller; force: boolean; traceparent: string },
): Promise<string> {
  const integration = await store.integrations.find(projectId, integrationId);
  const objects = integration?.latestRevision.content.write?.objects ?? [];
  const isWritable = objects.some(({ objectName }) => objectName === resource);
  // A holder of a customer's token must not be able to crash the executors of all projects again.
  const mayReplayQuarantined = caller.kind !== 'token';
  const key = { projectId, operationId, newId: newId() };
  const replaying = await store.writes.replay({ ...order, ...key, isWritable, mayReplayQuarantined });
  if ('refusal' in replaying) throw refused(replaying.refusal);
  const { operationId: replayedBy, isNew } = replaying;
  if (isNew) logger.info({ projectId, operationId, replayedBy, keyId: caller.keyId }, 'operation.replayed');
  return replayedBy;
}

function refused(refusal: ReplayRefusal): RequestError {
  if (refusal === 'missing') return notFound('operation.not-found');
  const { code, detail } = refusals[refusal];
  const options = { code, detail: `operationId: ${detail}.` };
  if (refusal === 'quarantined') return new ForbiddenError(options);
  return refusal === 'plan-deleted' ? new GoneError(options) : new ConflictError(options);
}
