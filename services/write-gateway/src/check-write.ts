import type { Connector } from '@sluice/connectors';
import { ForbiddenError, NotFoundError, ValidationError } from '@sluice/errors';
import type { InstallationContext, WriteRequest } from '@sluice/types';
import type { PlannedWrite } from '@sluice/writes';

/** Rules of a write that need the installation or the plan. What the provider cannot do is checked in `@sluice/writes`. */

/** @throws NotFoundError when the manifest does not declare the object for writing */
export function assertDeclared(installation: InstallationContext, objectName: string): void {
  const declared = installation.manifest.write?.objects ?? [];
  if (declared.some((object) => object.objectName === objectName)) return;
  const names = declared.map((object) => object.objectName).join(', ') || 'none';
  throw new NotFoundError({
    code: 'write.object-not-in-manifest',
    detail: `objectName: the manifest does not declare "${objectName}" under write.objects; declared: ${names}.`,
  });
}

/** Source: specification, Write records, rule 1. @throws ForbiddenError unless the config enables deletion */
export function assertDeletable(installation: InstallationContext, request: WriteRequest, objectName: string): void {
  if (request.type !== 'delete') return;
  const objects = installation.config.write?.objects ?? {};
  const object = Object.hasOwn(objects, objectName) ? objects[objectName] : undefined;
  if (object?.deletionSettings?.enabled === true) return;
  throw new ForbiddenError({
    code: 'write.delete-not-enabled',
    detail: `Deletion of "${objectName}" is not enabled in the config of this installation.`,
  });
}

/**
 * A provider record may stand once in a batch that is one provider call: a synchronous one, because two writes to the record
 * would have no order, and an all-or-none one, because two calls cannot be undone together.
 */
export function assertDistinctRecords(
  connector: Connector,
  request: WriteRequest,
  planned: readonly PlannedWrite[],
): void {
  const isAllOrNone = request.batchPolicy?.allOrNone === true && connector.capabilities.allOrNone.update;
  if (request.mode === 'asynchronous' && !isAllOrNone) return;
  const seen = new Map<string, number>();
  for (const [at, { plan }] of planned.entries()) {
    if (plan.recordId === undefined) continue;
    const key = connector.recordKey(plan.recordId);
    const first = seen.get(key);
    seen.set(key, first ?? at);
    if (first === undefined) continue;
    const detail = `the record ${plan.recordId} stands already in batch[${first}]; a synchronous or all-or-none batch holds each once`;
    const issues = [{ in: 'body' as const, name: `batch[${at}].record.id`, detail, value: plan.recordId }];
    throw new ValidationError({ code: 'request.invalid', detail: `${detail}.`, issues });
  }
}
