import { ForbiddenError, NotFoundError, ValidationError } from '@sluice/errors';
import type { Connector } from '@sluice/connectors';
import type { InstallationNames, KeyClaim, NewOperation, NewRecord } from '@sluice/store';
import { newId } from '@sluice/store';
import { yieldToEventLoop, type HeldBytes } from '@sluice/telemetry';
import { hoursToMs, limits, type InstallationContext, type PlanNote, type WriteRequest } from '@sluice/types';
import {
  checkCapabilities,
  checkModule,
  checkIfEmpty,
  headersKeyOf,
  orderKeyOf,
  planRecord,
  writeRulesOf,
  type PlannableRecord,
  type PlannedWrite,
  type WriteRules,
} from '@sluice/writes';
import type { GatewayContext } from './context';

/** A request whose body is checked, with what came beside the body. */
export interface WriteCall {
  readonly names: InstallationNames;
  /** As the caller says it: the object's own name, or its `mapToName`. */
  readonly objectName: string;
  readonly keyId: string;
  readonly request: WriteRequest;
  /** The caller's own reference. Source: header `Sluice-Record-Ref`. */
  readonly ref?: string;
  /** Source: header `Idempotency-Key`. */
  readonly idempotency?: KeyClaim;
  /** Until the reply is sent, it holds what the provider's replies take. */
  readonly held: HeldBytes;
  /** Of the body as it was sent. */
  readonly bodyBytes: number;
  /** Takes memory for plans, beside that of the body. @returns false when there is none now */
  readonly growNow: (bytes: number) => boolean;
  /** Waits for memory for plans, in place of what it took before. @throws DependencyError when there is none in time */
  readonly growTo: (bytes: number) => Promise<void>;
  readonly traceparent: string;
}

/** A planned record with its plan as it is stored. */
interface StorablePlan extends PlannedWrite {
  readonly text: string;
}

/** A write with everything decided but its acceptance. */
export interface ResolvedWrite {
  readonly installation: InstallationContext;
  readonly connector: Connector;
  readonly operation: NewOperation;
  readonly planned: readonly StorablePlan[];
  /** The request came in the batch form, also when it held one record. */
  readonly isBatch: boolean;
  /** Mapped names of the request that the customer chose no field for: nothing is written for them. */
  readonly unmapped: readonly string[];
}

/** `stale`: the installation or the API key has changed; `key-taken`: the idempotency key belongs to another write. Nothing was written. */
export type Refused = { readonly kind: 'stale' } | { readonly kind: 'key-taken' };

/**
 * Decides everything that can be decided without storing or asking anything.
 * @param isShown the decisions are the reply
 * @throws NotFoundError, ForbiddenError, ValidationError that name the rule; DependencyError when there is no memory for its plans in time
 */
export async function resolveWrite(
  context: GatewayContext,
  call: WriteCall,
  installation: InstallationContext,
  isShown = false,
): Promise<ResolvedWrite> {
  const { request } = call;
  const connector = context.connectors.get(installation.provider);
  const objectName = declaredName(installation, call.objectName);
  assertDeletable(installation, request, objectName);
  const connectors = context.connectors.all();
  checkModule(connector, installation.manifest.module, 'write.capability-missing');
  checkCapabilities(connector, request, connectors);
  const rules = writeRulesOf(installation, connector.capabilities.fields, { type: request.type, objectName });
  const planned = await planAll(call, rules, isShown);
  checkIfEmpty(
    connector,
    planned.map((each) => each.plan),
    connectors,
  );
  assertDistinctRecords(connector, request, planned);
  return {
    installation,
    connector,
    operation: toOperation(call, installation, objectName),
    planned,
    isBatch: request.batch !== undefined,
    unmapped: unmappedOf(planned.flatMap(({ decisions }) => decisions)),
  };
}

/** Bytes of plans for which the memory of a body is enough: a mapped field has four times its size in the plan, with its note. */
const ownBytesOf = (bodyBytes: number): number => 4 * bodyBytes + 16_384;

/** After so many bytes of plans others have their turn: some ten milliseconds. */
const turnBytes = 500_000;

/**
 * A hundred bytes grow to megabytes by the defaults and mapped values of a config. The memory that the body's own share does not cover is reserved
 * before it is used, by what the config adds, and while it grows. A write that has to wait for it keeps no plan meanwhile.
 */
async function planAll(call: WriteCall, rules: WriteRules, isShown: boolean): Promise<readonly StorablePlan[]> {
  const added = Math.min(limits.planBytesMax, rules.addedBytes * (call.request.batch?.length ?? 1));
  const own = ownBytesOf(call.bodyBytes);
  if (added <= own || call.growNow(added)) {
    const planned = await planWithin(call, rules, { isShown, bytes: Math.max(own, added), growNow: call.growNow });
    if (planned !== undefined) return planned;
  }
  const bytes = limits.planBytesMax;
  await call.growTo(added <= own ? bytes : added);
  return (await planWithin(call, rules, { isShown, bytes, growNow: () => true })) ?? [];
}

interface PlanMemory extends Pick<WriteCall, 'growNow'> {
  readonly isShown: boolean;
  /** That are reserved. */
  readonly bytes: number;
}

/** @returns undefined when they have more bytes than are reserved, and there is no memory for the others now */
async function planWithin({ request }: WriteCall, rules: WriteRules, memory: PlanMemory) {
  const planned: StorablePlan[] = [];
  let [bytes, reserved, turnAt] = [0, memory.bytes, turnBytes];
  if (reserved > turnBytes) await yieldToEventLoop();
  for (const item of itemsOf(request)) {
    const each = planRecord(rules, { ...item, headers: request.headers });
    const characters = textCharactersOf(each);
    // Before it becomes text: the config may fill a small record with megabytes.
    if (bytes + characters > limits.planBytesMax) throw planTooLarge(request);
    const text = JSON.stringify(each.plan);
    bytes += Math.max(Buffer.byteLength(text), memory.isShown ? characters : 0);
    if (bytes > limits.planBytesMax) throw planTooLarge(request);
    if (bytes > reserved) {
      if (!memory.growNow(bytes)) return undefined;
      reserved += bytes;
    }
    planned.push({ ...each, text });
    if (bytes < turnAt) continue;
    await yieldToEventLoop();
    turnAt = bytes + turnBytes;
  }
  return planned;
}

/** The names, each once, that lead to no field. @param decisions of all records, or the notes of their plans */
export function unmappedOf(decisions: readonly Pick<PlanNote, 'field' | 'providerField'>[]): string[] {
  const names = decisions.flatMap(({ field, providerField }) => (providerField === undefined ? [field] : []));
  return [...new Set(names)];
}

/** Characters of the values that are texts: what defaults and value mappings replace the sent values with. A dry run shows those too that are not sent. */
function textCharactersOf({ decisions }: PlannedWrite): number {
  return decisions.reduce((sum, { value }) => sum + (typeof value === 'string' ? value.length : 0), 0);
}

function planTooLarge({ batch }: WriteRequest): ValidationError {
  const detail = `has plans of more than ${limits.planBytesMax} bytes with the defaults and mapped values of the config`;
  const name = batch === undefined ? 'record' : 'batch';
  return new ValidationError({
    code: 'request.body-too-large',
    detail: `${name} ${detail}. Nothing was written.`,
    issues: [{ in: 'body', name, detail, ...(batch && { value: `list of ${batch.length}` }) }],
    remedy: 'Send fewer records in one request, or shorten the defaults and mapped values of the config.',
  });
}

function itemsOf({ record, batch, associations }: WriteRequest): PlannableRecord[] {
  if (batch !== undefined) return batch.map((item, at) => ({ ...item, path: `batch[${at}].record` }));
  return [{ record: record ?? {}, associations, path: 'record' }];
}

function toOperation(call: WriteCall, installation: InstallationContext, objectName: string): NewOperation {
  const { request } = call;
  const isAutoBatched = request.autoBatchPolicy !== undefined;
  return {
    projectId: installation.projectId,
    id: newId(),
    integrationId: installation.integrationId,
    laneId: installation.laneId,
    objectName,
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

/** The row of a planned record, without its position in a call, which is not yet known. */
export function toRecord(
  call: WriteCall,
  write: ResolvedWrite,
  planned: StorablePlan,
): Omit<NewRecord, 'index' | 'callNumber'> {
  const { plan, text } = planned;
  const recordKey = plan.recordId === undefined ? undefined : write.connector.recordKey(plan.recordId);
  const orderKey = orderKeyOf(write.operation.laneId, plan.objectName, recordKey);
  const { autoBatchPolicy, retryPolicy } = call.request;
  // Beside an autoBatchPolicy its own deadline rules (see rulings).
  const hours = autoBatchPolicy === undefined ? retryPolicy?.deadlineHours : autoBatchPolicy.retryDeadlineHours;
  return {
    ...(call.ref === undefined ? {} : { ref: call.ref }),
    ...(orderKey === undefined ? {} : { orderKey }),
    headersKey: headersKeyOf(plan.headers),
    plan: text,
    retryMs: hoursToMs(hours ?? limits.deadlineHoursDefault),
  };
}

/**
 * The object's own name. A caller may say the `mapToName` that the manifest gives it for reading, as in a search.
 * @throws NotFoundError when the manifest does not declare the object for writing
 */
function declaredName({ manifest }: InstallationContext, objectName: string): string {
  const declared = manifest.write?.objects ?? [];
  const isDeclared = (name: string) => declared.some((object) => object.objectName === name);
  if (isDeclared(objectName)) return objectName;
  const mapped = manifest.read?.objects?.find(({ mapToName }) => mapToName === objectName)?.objectName;
  if (mapped !== undefined && isDeclared(mapped)) return mapped;
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
 * A provider record may stand once in a batch that is one provider call. In a synchronous one two writes to the record would have no order. An
 * all-or-none one could not undo two calls together.
 */
function assertDistinctRecords(connector: Connector, request: WriteRequest, planned: readonly PlannedWrite[]): void {
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
