import { momentOf, type PlannedCall, type SealedRecord } from '@sluice/store';
import { readTraceparent, startStep, toTraceparent, type AcceptedRecord, type Step } from '@sluice/telemetry';
import type { FlushSource } from './flush-batch';

/** A sealed batch before its calls are stored. */
interface Sealed {
  readonly operationId: string;
  readonly projectId: string;
  readonly source: FlushSource;
  readonly provider: string;
  readonly type: string;
  /** Of the accept that opened it. */
  readonly traceparent: string;
  readonly records: readonly SealedRecord[];
  /** Of `performance.now()`. */
  readonly startedAtMs: number;
}

/**
 * A flush as a step: under the accept that opened the batch, with a link to the accept of each record. It is kept when any of
 * them is, because it is a part of the story of each.
 */
export function startFlush(sealed: Sealed): Step {
  const { operationId, projectId, source, provider, type, traceparent, records, startedAtMs } = sealed;
  return startStep({
    service: 'batcher',
    name: 'batch.flush',
    kind: 'message',
    parent: traceparent,
    isSampled: [{ accepted: { traceparent } }, ...records].some(isSampled),
    facts: { operationId, projectId, source, provider, type, records: records.length },
    accepted: () => [...records.flatMap(toAccepted), { traceparent, acceptedAt: momentOf(operationId) }],
    startedAtMs,
  });
}

/** The calls, each sampled when one of its records is: whoever performs it keeps what belongs to that record's story. */
export function placeCalls(
  calls: readonly PlannedCall[],
  { traceparent, records }: Pick<Sealed, 'traceparent' | 'records'>,
): PlannedCall[] {
  const place = readTraceparent(traceparent);
  const sampled = new Set(records.filter(isSampled).map(({ index }) => index));
  if (place === undefined || place.isSampled || sampled.size === 0) return [...calls];
  const kept = toTraceparent({ ...place, isSampled: true });
  return calls.map((call) =>
    call.recordIndexes.some((at) => sampled.has(at)) ? { ...call, traceparent: kept } : call,
  );
}

function toAccepted({ index, accepted }: SealedRecord): AcceptedRecord[] {
  return accepted === undefined ? [] : [{ index, traceparent: accepted.traceparent, acceptedAt: accepted.at }];
}

function isSampled({ accepted }: { readonly accepted?: { readonly traceparent: string } }): boolean {
  return readTraceparent(accepted?.traceparent)?.isSampled === true;
}
