import { announce } from '@sluice/messaging';
import { type BatchKey, momentOf, type PlannedCall, type SealedRecord } from '@sluice/store';
import { classOf, type Step, readTraceparent, startStep, toTraceparent, type AcceptedRecord } from '@sluice/telemetry';
import { batchLimit, planCalls } from '@sluice/writes';
import type { BatcherContext } from './context';

/** What woke the flush: a message reported that it is full, its time came, or a sweep found it. */
export type FlushSource = 'message' | 'timer' | 'sweep';

/**
 * Flushes an auto-batch. Order: 1. seal, plan its calls and store them, in one transaction. 2. Announce the calls. A crash
 * before 1 leaves an open batch that the sweep finds; after 1, calls that the executor's sweep finds.
 * @returns milliseconds until it is due, when it is not; undefined when it was flushed, by this process or another
 */
export async function flushBatch(
  context: BatcherContext,
  { projectId, operationId }: BatchKey,
  source: FlushSource,
): Promise<number | undefined> {
  const { announcer, failpoints, logger } = context;
  const key = { projectId, operationId };
  const { sealing, step } = await seal(context, key, source);
  if (sealing.kind === 'missing') context.countOrphan(key);
  if (sealing.kind === 'gone' || sealing.kind === 'missing') return undefined;
  if (sealing.kind === 'not-due') return sealing.dueInMs;
  await failpoints.hit('bt.after_seal');
  const { batch } = sealing;
  const { calls, sealedAt: acceptedAt, traceparent } = batch;
  for (const { number: callNumber, laneId } of calls)
    announce(announcer, { ...batch, laneId }, { callNumber, acceptedAt });
  context.flushed.inc({ source });
  context.fill.observe(batch.recordsTotal);
  step?.run(() => logger.info({ operationId, calls: calls.length, source, traceparent }, 'batch.flushed'));
  step?.note({ calls: calls.length });
  step?.end();
  return undefined;
}

/** Its step begins when there is something to flush: most lookups of a batch find that it is not due, or gone. */
async function seal({ store, connectors }: BatcherContext, key: BatchKey, source: FlushSource) {
  const startedAtMs = performance.now();
  const begun: { step?: Step } = {};
  try {
    const sealing = await store.writes.seal(key, (records, { provider, type, traceparent }) => {
      begun.step = startFlush({ ...key, source, provider, type, traceparent, records, startedAtMs });
      const calls = planCalls(records, { records: batchLimit(connectors.get(provider).capabilities, type) ?? 1 });
      return markSampled(calls, { traceparent, records });
    });
    return { sealing, step: begun.step };
  } catch (error) {
    begun.step?.end(classOf(error));
    throw error;
  }
}

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
 * them is, because it belongs to the trace of each.
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

/** The calls, each sampled when one of its records is: whoever performs it keeps what belongs to that record's trace. */
export function markSampled(
  calls: readonly PlannedCall[],
  { traceparent, records }: Pick<Sealed, 'traceparent' | 'records'>,
): PlannedCall[] {
  const context = readTraceparent(traceparent);
  const sampled = new Set(records.filter(isSampled).map(({ index }) => index));
  if (context === undefined || context.isSampled || sampled.size === 0) return [...calls];
  const sampledTraceparent = toTraceparent({ ...context, isSampled: true });
  return calls.map((call) =>
    call.recordIndexes.some((at) => sampled.has(at)) ? { ...call, traceparent: sampledTraceparent } : call,
  );
}

function toAccepted({ index, accepted }: SealedRecord): AcceptedRecord[] {
  return accepted === undefined ? [] : [{ index, traceparent: accepted.traceparent, acceptedAt: accepted.at }];
}

function isSampled({ accepted }: { readonly accepted?: { readonly traceparent: string } }): boolean {
  return readTraceparent(accepted?.traceparent)?.isSampled === true;
}
