import { strayMessages, topics, type Announcer } from '@sluice/messaging';
import type { SealedBatch } from '@sluice/store';
import { classOf, type Step } from '@sluice/telemetry';
import { batchLimit, planCalls } from '@sluice/writes';
import type { BatcherContext } from './context';
import { placeCalls, startFlush } from './trace-flush';

/** What woke the flush: a message said it is full, its time came, or a sweep found it. */
export type FlushSource = 'message' | 'timer' | 'sweep';

/** Milliseconds until it is due, when it is not; undefined when it was flushed, by this process or another. */
export type FlushBatch = (key: BatchKey, source: FlushSource) => Promise<number | undefined>;

interface BatchKey {
  readonly projectId: string;
  readonly operationId: string;
}

/**
 * Flushes an auto-batch. Order: 1. seal, plan its calls and store them, in one transaction. 2. Announce the calls. A crash
 * before 1 leaves an open batch that the sweep finds; after 1, calls that the executor's sweep finds.
 */
export function flusher(context: BatcherContext): FlushBatch {
  const { messaging, metrics, failpoints, logger } = context;
  const announcer = messaging.announcer(topics.ready);
  const flushed = metrics.counter('sluice_batches_flushed_total');
  const fill = metrics.histogram('sluice_batch_fill_records');
  const tellStray = strayMessages(context, topics.autoBatched);
  return async ({ projectId, operationId: id }, source) => {
    const key = { projectId, operationId: id };
    const { sealing, step } = await seal(context, key, source);
    if (sealing.kind === 'missing') tellStray(key);
    if (sealing.kind === 'gone' || sealing.kind === 'missing') return undefined;
    if (sealing.kind === 'not-due') return sealing.dueInMs;
    await failpoints.hit('bt.after_seal');
    const { batch } = sealing;
    announceCalls(announcer, batch);
    flushed.inc({ source });
    fill.observe(batch.recordsTotal);
    const { operationId, traceparent } = batch;
    const told = () => logger.info({ operationId, calls: batch.calls.length, source, traceparent }, 'batch.flushed');
    step?.run(told);
    step?.note({ calls: batch.calls.length });
    step?.end();
    return undefined;
  };
}

/** Its step begins when there is something to flush: most looks at a batch find that it is not due, or gone. */
async function seal({ store, connectors }: BatcherContext, key: BatchKey, source: FlushSource) {
  const startedAtMs = performance.now();
  const begun: { step?: Step } = {};
  try {
    const sealing = await store.writes.seal(key, (records, { provider, type, traceparent }) => {
      begun.step = startFlush({ ...key, source, provider, type, traceparent, records, startedAtMs });
      const calls = planCalls(records, { records: batchLimit(connectors.get(provider).capabilities, type) ?? 1 });
      return placeCalls(calls, { traceparent, records });
    });
    return { sealing, step: begun.step };
  } catch (error) {
    begun.step?.end(classOf(error));
    throw error;
  }
}

function announceCalls(announcer: Announcer, batch: SealedBatch): void {
  for (const call of batch.calls) {
    announcer.announce(topics.ready.key(batch), {
      projectId: batch.projectId,
      operationId: batch.operationId,
      installationId: batch.installationId,
      laneId: call.laneId,
      objectName: batch.objectName,
      type: batch.type,
      callNumber: call.number,
      acceptedAt: batch.sealedAt.toISOString(),
      traceparent: batch.traceparent,
    });
  }
}
