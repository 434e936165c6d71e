import {
  momentOf,
  type ClaimedCall,
  type OverdueCall,
  type PendingRecord,
  type RecordSettlement,
  type Settlement,
} from '@sluice/store';
import { startStep, type AcceptedRecord, type Facts, type Step } from '@sluice/telemetry';
import type { FreshClaim } from './lane-queue';

/**
 * A claimed call as a step of its trace: under the accept of its operation, with a link to the accept of each record. When it fails, the accepts of the
 * records that failed are backfilled, because it was not known then that they would be wanted.
 */
export class CallTrace {
  readonly step: Step;
  private pending: readonly PendingRecord[] = [];
  private failed: ReadonlySet<number> = new Set();

  constructor({ call, claimedAtMs, source }: FreshClaim) {
    this.step = startStep({
      service: 'executor',
      name: 'call.claim',
      kind: 'message',
      parent: call.traceparent,
      startedAtMs: claimedAtMs,
      facts: factsOf(call, source),
      accepted: () => acceptsOf(call, this.pending, this.failed),
    });
  }

  /** The records it was claimed for, once they are loaded. */
  load(records: readonly PendingRecord[]): void {
    this.pending = records;
    this.step.note({ records: records.length });
  }

  /** Ends it with what became of the records; without a settlement, with `reason`. */
  end(settlement: Settlement | undefined, reason?: string): void {
    const records = settlement?.records ?? [];
    this.failed = new Set(records.filter(isFailure).map(({ index }) => index));
    if (settlement !== undefined) this.step.note(outcomeOf(settlement));
    this.step.end(reason ?? records.flatMap((record) => (isFailure(record) ? classesOf(record) : []))[0]);
  }
}

/** Records that a deadline ended without a call: a failure that nothing else records. */
export function traceOverdue({
  projectId,
  operationId,
  number,
  objectName,
  type,
  traceparent,
  records,
}: OverdueCall): void {
  const facts = { projectId, operationId, call: number, objectName, type, recordsFailed: records.length };
  const parent = { traceparent, acceptedAt: momentOf(operationId), isConcerned: true };
  const options = { service: 'executor', name: 'call.settle', kind: 'message', parent: traceparent, facts } as const;
  startStep({ ...options, accepted: () => [parent] }).end('deadline');
}

function factsOf(call: ClaimedCall, source: string): Facts {
  const { projectId, operationId, number, objectName, type, mode, attempts } = call;
  return { projectId, operationId, call: number, objectName, type, mode, attempt: attempts + 1, source };
}

/** Retries add nothing to the first attempt, and a process that died before it reported has reported nothing. */
function acceptsOf(
  { operationId, traceparent, attempts, isInDoubt }: ClaimedCall,
  pending: readonly PendingRecord[],
  failed: ReadonlySet<number>,
): AcceptedRecord[] {
  const isFirst = attempts === 0 || isInDoubt;
  const records = pending.flatMap(({ index, accepted }) => {
    if (accepted === undefined) return [];
    return [
      { index, traceparent: accepted.traceparent, acceptedAt: accepted.at, isConcerned: isFirst && failed.has(index) },
    ];
  });
  return [...records, { traceparent, acceptedAt: momentOf(operationId), isConcerned: isFirst }];
}

function isFailure(record: RecordSettlement): boolean {
  return (
    record.kind === 'failed' || record.kind === 'unknown' || (record.kind === 'again' && record.error !== undefined)
  );
}

function classesOf(record: RecordSettlement): string[] {
  return 'error' in record && record.error !== undefined ? [record.error.class] : [];
}

function outcomeOf({ records, next }: Settlement): Facts {
  const count = (kind: RecordSettlement['kind']) => records.filter((record) => record.kind === kind).length;
  return {
    recordsSucceeded: count('succeeded'),
    recordsFailed: count('failed'),
    recordsUnknown: count('unknown'),
    outcome: next.state,
  };
}
