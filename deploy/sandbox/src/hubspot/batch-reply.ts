import type { InputRefusal } from '../control/imitated-provider';
import type { ApiCall, ApiReply } from './api-call';
import type { HubspotError } from './wire-reply';
import type { ObjectType } from './objects/object-type';

type Context = Readonly<Record<string, readonly string[]>>;

/** One entry of `errors[]` in a 207. */
export interface BatchError {
  readonly status: 'error';
  readonly category: string;
  readonly subCategory?: string;
  readonly message: string;
  readonly context?: Context;
}

/**
 * The envelope of every batch call. `okStatus` becomes 207 as soon as one input failed.
 * Member order as recorded; `errors` and `numErrors` are absent when nothing failed.
 */
export function batchReply(
  call: ApiCall,
  okStatus: 200 | 201,
  outcome: { readonly results: readonly unknown[]; readonly errors: readonly BatchError[] },
): ApiReply {
  const { results, errors } = outcome;
  const failed = errors.length > 0 ? { errors, numErrors: errors.length } : {};
  const at = call.now.toISOString();
  return {
    status: errors.length > 0 ? 207 : okStatus,
    body: { completedAt: at, status: 'COMPLETE', startedAt: at, results, ...failed },
  };
}

/** A refused input as it stands in `errors[]`, with what names it. A `partial` fault may leave the naming out. */
export function batchError(failure: HubspotError, naming: Context, refusal?: InputRefusal): BatchError {
  const { message, category, context } = failure.fields;
  const named = refusal?.named === false ? undefined : { ...naming, ...context };
  return {
    status: 'error',
    category: category ?? 'VALIDATION_ERROR',
    message,
    ...(named && Object.keys(named).length > 0 ? { context: named } : {}),
  };
}

/** Ids that have no live record, in one entry, as recorded. */
export function missingIds(type: ObjectType, ids: readonly string[], traceIds: readonly string[] = []): BatchError {
  return {
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    message: `Could not get some ${type.singular.toUpperCase()} objects, they may be deleted or not exist. Check that ids are valid.`,
    context: { ids, ...(traceIds.length > 0 ? { objectWriteTraceId: traceIds } : {}) },
  };
}
