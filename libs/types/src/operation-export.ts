import type {
  ExplainedAttempt,
  ExplainedCall,
  ExplainedPlan,
  ExplainedRecord,
  ExportedAttempt,
  ExportedCall,
  ExportedRecord,
  OperationExplanation,
  OperationExport,
} from './operation-explanation';
import { standInIds } from './stand-in-ids';

/**
 * What is needed to decide again what was decided: forms, classes and times that count from the first send. A list of what is kept,
 * so that a member that is added to the explanation is not exported by itself: no values, no words of the provider, which may repeat
 * them, no references of the caller; ids of records become others that are spelled alike.
 */
export function toExport({ operation, calls, records, ...course }: OperationExplanation): OperationExport {
  const sends = calls.flatMap(({ attempts }) => attempts.map(({ sentAt }) => Date.parse(sentAt)));
  const startMs = Math.min(Date.parse(operation.createTime ?? new Date(0).toISOString()), ...sends);
  const idOf = standInIds();
  return {
    format: 'sluice-operation-1',
    operationId: operation.id,
    status: operation.status,
    provider: course.provider,
    type: course.type,
    mode: course.mode,
    ...(course.batch === undefined ? {} : { isFullBatch: course.batch.isFull }),
    calls: calls.map((call) => toCall(call, startMs)),
    records: records.map((record) => toRecord(record, startMs, idOf)),
  };
}

function toCall({ number, state, allOrNone, attempts }: ExplainedCall, startMs: number): ExportedCall {
  return { number, state, allOrNone, attempts: attempts.map((attempt) => toAttempt(attempt, startMs)) };
}

function toAttempt(attempt: ExplainedAttempt, startMs: number): ExportedAttempt {
  const { number, sentAt, finishedAt, durationMs, status, error, isLate, recordIndexes } = attempt;
  return {
    number,
    sentAtMs: Date.parse(sentAt) - startMs,
    ...(finishedAt === undefined ? {} : { finishedAtMs: Date.parse(finishedAt) - startMs }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(status === undefined ? {} : { status }),
    ...(error === undefined ? {} : { class: error.class }),
    ...(isLate === true ? { isLate } : {}),
    recordIndexes,
  };
}

function toRecord(record: ExplainedRecord, startMs: number, idOf: (id: string) => string): ExportedRecord {
  const { index, call, status, sendState, error, retryUntil, plan } = record;
  return {
    index,
    ...(call === undefined ? {} : { call }),
    status,
    sendState,
    ...(error === undefined ? {} : { class: error.class }),
    ...(retryUntil === undefined ? {} : { retryUntilMs: Date.parse(retryUntil) - startMs }),
    ...(plan === undefined ? {} : { plan: toPlan(plan, idOf) }),
  };
}

function toPlan(plan: ExplainedPlan, idOf: (id: string) => string): ExplainedPlan {
  const { objectName, recordId, fields, ifEmpty, notes, associations, headers } = plan;
  return {
    objectName,
    ...(recordId === undefined ? {} : { recordId: idOf(recordId) }),
    fields,
    ...(ifEmpty === undefined ? {} : { ifEmpty }),
    ...(notes === undefined ? {} : { notes }),
    ...(associations === undefined ? {} : { associations }),
    ...(headers === undefined ? {} : { headers }),
  };
}
