import { DependencyError, RequestError } from '@sluice/errors';
import type { Connector } from '@sluice/connectors';
import type { InstallationNames, KeyClaim, NewOperation, NewRecord } from '@sluice/store';
import { newId } from '@sluice/store';
import { hoursToMs, limits, type InstallationContext, type WriteRequest } from '@sluice/types';
import {
  checkCapabilities,
  checkIfEmpty,
  headersKeyOf,
  orderKeyOf,
  writePlanner,
  type PlannedWrite,
} from '@sluice/writes';
import { assertDeclared, assertDeletable, assertDistinctRecords } from './check-write';
import type { GatewayContext } from './context';

/** A request whose body is checked, with what came beside the body. */
export interface WriteCall {
  readonly names: InstallationNames;
  readonly objectName: string;
  readonly keyId: string;
  readonly request: WriteRequest;
  /** The caller's own reference. Source: header `Sluice-Record-Ref`. */
  readonly ref?: string;
  /** Source: header `Idempotency-Key`. */
  readonly idempotency?: KeyClaim;
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

/**
 * Does `work` on the installation as it is known, and once more on a fresh look when the accepting statement finds it
 * changed, or when what is known would refuse the write. So a change is in force for the next request, without a timer.
 */
export async function onCurrentInstallation<T>(
  context: GatewayContext,
  call: WriteCall,
  work: (write: ResolvedWrite) => Promise<T | 'stale'>,
): Promise<T> {
  const { installations } = context;
  const known = unlessRefused(context, call, await installations.resolve(call.names));
  const first = known === undefined ? 'stale' : await work(known);
  if (first !== 'stale') return first;
  const second = await work(resolveWrite(context, call, await installations.resolveAgain(call.names)));
  if (second !== 'stale') return second;
  throw new DependencyError({
    code: 'service.unavailable',
    detail: 'The installation or the API key was changed while the write was accepted. Nothing was written.',
    retryAfterMs: 1_000,
  });
}

/** A refusal by what is known may be a second old: the caller's config may allow by now what it forbade. */
function unlessRefused(
  context: GatewayContext,
  call: WriteCall,
  installation: InstallationContext,
): ResolvedWrite | undefined {
  try {
    return resolveWrite(context, call, installation);
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

/**
 * Decides everything that can be decided without storing or asking anything.
 * @throws NotFoundError, ForbiddenError, ValidationError that name the rule
 */
export function resolveWrite(
  context: GatewayContext,
  call: WriteCall,
  installation: InstallationContext,
): ResolvedWrite {
  const { request, objectName } = call;
  const connector = context.connectors.get(installation.provider);
  assertDeclared(installation, objectName);
  assertDeletable(installation, request, objectName);
  const connectors = context.connectors.all();
  checkCapabilities(connector, request, connectors);
  const plan = writePlanner(installation, connector.capabilities.fields, { type: request.type, objectName });
  const planned = itemsOf(request).map((item) => plan({ ...item, headers: request.headers }));
  checkIfEmpty(
    connector,
    planned.map((each) => each.plan),
    connectors,
  );
  assertDistinctRecords(connector, request, planned);
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
  const recordKey = plan.recordId === undefined ? undefined : write.connector.recordKey(plan.recordId);
  const orderKey = orderKeyOf(write.operation.laneId, plan.objectName, recordKey);
  const { autoBatchPolicy, retryPolicy } = call.request;
  // Beside an autoBatchPolicy its own deadline rules (see rulings).
  const hours = autoBatchPolicy === undefined ? retryPolicy?.deadlineHours : autoBatchPolicy.retryDeadlineHours;
  return {
    ...(call.ref === undefined ? {} : { ref: call.ref }),
    ...(orderKey === undefined ? {} : { orderKey }),
    headersKey: headersKeyOf(plan.headers),
    plan: JSON.stringify(plan),
    retryMs: hoursToMs(hours ?? limits.deadlineHoursDefault),
  };
}
