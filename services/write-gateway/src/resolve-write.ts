import { DependencyError, ForbiddenError, NotFoundError, ValidationError } from '@sluice/errors';
import type { Connector } from '@sluice/connectors';
import type { InstallationNames, NewOperation, NewRecord } from '@sluice/store';
import { newId } from '@sluice/store';
import { hoursToMs, type InstallationContext, type WriteRequest } from '@sluice/types';
import { checkCapabilities, headersKeyOf, orderKeyOf, planWrite, type PlannedWrite } from '@sluice/writes';
import type { GatewayContext } from './context';

/** A request whose body is checked, with what came beside the body. */
export interface WriteCall {
  readonly names: InstallationNames;
  readonly objectName: string;
  readonly keyId: string;
  readonly request: WriteRequest;
  /** The caller's own reference. Source: header `Sluice-Record-Ref`. */
  readonly ref?: string;
  readonly traceparent: string;
}

/** A write with everything decided but its acceptance. */
export interface ResolvedWrite {
  readonly installation: InstallationContext;
  readonly connector: Connector;
  readonly operation: NewOperation;
  readonly planned: readonly PlannedWrite[];
  /** The request came in the batch form, also when it held one record. */
  readonly isBatch: boolean;
}

/** How long a write is retried when the request does not say. Source: specification, Limits. */
const defaultDeadlineHours = 1;

/**
 * Does `work` on the installation as it is known, and once more on a fresh look when the accepting statement finds it
 * changed. So a change is in force for the next request, without a timer.
 */
export async function onCurrentInstallation<T>(
  context: GatewayContext,
  call: WriteCall,
  work: (write: ResolvedWrite) => Promise<T | 'stale'>,
): Promise<T> {
  const { installations } = context;
  const first = await work(resolveWrite(context, call, await installations.resolve(call.names)));
  if (first !== 'stale') return first;
  const second = await work(resolveWrite(context, call, await installations.resolveAgain(call.names)));
  if (second !== 'stale') return second;
  throw new DependencyError({
    code: 'service.unavailable',
    detail: 'The installation or the API key was changed while the write was accepted. Nothing was written.',
    retryAfterMs: 1_000,
  });
}

function resolveWrite(context: GatewayContext, call: WriteCall, installation: InstallationContext): ResolvedWrite {
  const { request, objectName } = call;
  const connector = context.connectors.get(installation.provider);
  assertDeclared(installation, objectName);
  assertDeletable(installation, request, objectName);
  checkCapabilities(connector, request);
  const planned = itemsOf(request).map(({ record, associations, path }) =>
    planWrite(installation, {
      type: request.type,
      objectName,
      record,
      path,
      ...(associations === undefined ? {} : { associations }),
      ...(request.headers === undefined ? {} : { headers: request.headers }),
    }),
  );
  return {
    installation,
    connector,
    operation: toOperation(call, installation),
    planned,
    isBatch: request.batch !== undefined,
  };
}

function itemsOf({ record, batch, associations }: WriteRequest) {
  if (batch !== undefined) return batch.map((item, at) => ({ ...item, path: `batch[${at}].record` }));
  return [{ record: record ?? {}, associations, path: 'record' }];
}

function toOperation(call: WriteCall, installation: InstallationContext): NewOperation {
  const { request } = call;
  const isAutoBatched = request.autoBatchPolicy !== undefined;
  return {
    projectId: installation.projectId,
    id: newId(),
    integrationId: installation.integrationId,
    laneId: installation.laneId,
    objectName: call.objectName,
    type: request.type,
    mode: isAutoBatched ? 'auto-batched' : (request.mode ?? 'synchronous'),
    allOrNone: request.batchPolicy?.allOrNone ?? false,
    traceparent: call.traceparent,
    pins: {
      installationId: installation.installationId,
      configId: installation.configId,
      connectionId: installation.connectionId,
      revisionId: installation.revisionId,
      keyId: call.keyId,
    },
  };
}

/** The row of a planned record, as far as its place in a call is not yet known. */
export function toRecord(
  call: WriteCall,
  write: ResolvedWrite,
  planned: PlannedWrite,
): Omit<NewRecord, 'index' | 'callNumber'> {
  const { plan } = planned;
  const orderKey = orderKeyOf(write.operation.laneId, plan.objectName, plan.recordId);
  const { autoBatchPolicy, retryPolicy } = call.request;
  // Beside an autoBatchPolicy its own deadline rules (see rulings).
  const hours = autoBatchPolicy === undefined ? retryPolicy?.deadlineHours : autoBatchPolicy.retryDeadlineHours;
  return {
    ...(call.ref === undefined ? {} : { ref: call.ref }),
    ...(orderKey === undefined ? {} : { orderKey }),
    headersKey: headersKeyOf(plan.headers),
    plan: JSON.stringify(plan),
    retryMs: hoursToMs(hours ?? defaultDeadlineHours),
  };
}

function assertDeclared(installation: InstallationContext, objectName: string): void {
  const declared = installation.manifest.write?.objects ?? [];
  if (declared.some((object) => object.objectName === objectName)) return;
  const names = declared.map((object) => object.objectName).join(', ') || 'none';
  throw new NotFoundError({
    code: 'write.object-not-in-manifest',
    detail: `objectName: the manifest does not declare "${objectName}" under write.objects; declared: ${names}.`,
  });
}

function assertDeletable(installation: InstallationContext, request: WriteRequest, objectName: string): void {
  if (request.type !== 'delete') return;
  if (installation.config.write?.objects?.[objectName]?.deletionSettings?.enabled === true) return;
  throw new ForbiddenError({
    code: 'write.delete-not-enabled',
    detail: `Deletion of "${objectName}" is not enabled in the config of this installation.`,
  });
}

/** A provider record may stand once in a synchronous batch: two writes to it would have no order. */
export function assertDistinctRecords(write: ResolvedWrite): void {
  const seen = new Map<string, number>();
  for (const [at, { plan }] of write.planned.entries()) {
    if (plan.recordId === undefined) continue;
    const first = seen.get(plan.recordId);
    seen.set(plan.recordId, first ?? at);
    if (first === undefined) continue;
    const detail = `the record ${plan.recordId} stands already in batch[${first}]; a synchronous batch holds each once`;
    const issues = [{ in: 'body' as const, name: `batch[${at}].record.id`, detail, value: plan.recordId }];
    throw new ValidationError({ code: 'request.invalid', detail: `${detail}.`, issues });
  }
}
