import { ProviderError, retryOf } from '@sluice/errors';
import type { ProviderFailure, RecordResult } from '@sluice/connectors';
import type { Reply } from '@sluice/http';
import type { BatchWriteReply, JsonValue, RefusedWriteReply, SingleWriteReply, WriteResult } from '@sluice/types';
import type { WrittenNow } from './write-synchronously';

/**
 * The reply of a synchronous write. Spec is silent on the bodies; the published API's shapes (see rulings):
 * 200 with the record, 422 when the provider refused it, a problem when the call as a whole failed.
 * @throws ProviderError for quota, availability, credentials and unknown outcomes
 */
export function presentWrite(written: WrittenNow): Reply {
  const headers: Record<string, string> =
    written.queuedBehind.length === 0 ? {} : { 'Sluice-Warning': overtaken(written.queuedBehind) };
  const whole = wholeFailure(written.results);
  if (whole !== undefined) throw toProviderError(whole, written);
  const reply = written.write.isBatch ? presentBatch(written) : presentSingle(written);
  return { ...reply, headers };
}

/** Failures that say nothing about a record: a batch that has only such answers like a single write. */
function wholeFailure(results: readonly RecordResult[]): ProviderFailure | undefined {
  const failures = results.flatMap((result) => (result.ok ? [] : [result.error]));
  if (failures.length < results.length) return undefined;
  if (failures.some(isRefusal)) return undefined;
  // One record of unknown outcome forbids what the others would allow: to send the whole batch again.
  return failures.find(isAmbiguous) ?? failures[0];
}

function isAmbiguous(failure: ProviderFailure): boolean {
  return failure.class === 'unknown' || failure.class === 'timeout';
}

function isRefusal(failure: ProviderFailure): boolean {
  return retryOf(failure.class) === 'never';
}

function toProviderError(failure: ProviderFailure, { operationId }: WrittenNow): ProviderError {
  return new ProviderError({
    class: failure.class,
    detail: failure.message,
    meta: { operationId, ...(isAmbiguous(failure) ? { retryable: false } : {}) },
    ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
  });
}

function presentSingle({ operationId, results, write }: WrittenNow): Reply {
  const [result] = results;
  if (result?.ok === true) {
    const body: SingleWriteReply = { operationId, result: present(result, write.planned[0]?.plan.fields ?? {}) };
    return { status: 200, body };
  }
  const body: RefusedWriteReply = {
    operationId,
    errors: [{ message: result?.error.message ?? 'The provider refused the record.' }],
    result: { success: false },
  };
  return { status: 422, body };
}

function presentBatch({ operationId, results, write }: WrittenNow): Reply {
  const successCount = results.filter((result) => result.ok).length;
  const body: BatchWriteReply = {
    operationId,
    successCount,
    failureCount: results.length - successCount,
    results: results.map((result, at) => present(result, write.planned[at]?.plan.fields ?? {})),
  };
  return { status: successCount > 0 ? 200 : 422, body };
}

/** A provider without a reply body: what was written, plus the id. */
function present(result: RecordResult, fields: Readonly<Record<string, JsonValue>>): WriteResult {
  if (!result.ok) return { success: false, errors: [{ message: result.error.message }] };
  const { recordId } = result;
  const data = (result.data as Record<string, JsonValue> | undefined) ?? { ...fields, id: recordId };
  return { success: true, recordId, data };
}

function overtaken(operationIds: readonly string[]): string {
  return `queued asynchronous writes to this record were overtaken: ${operationIds.join(', ')}`;
}
