import { strayMessages, topics, type Announcer } from '@sluice/messaging';
import type { SealedBatch } from '@sluice/store';
import { batchLimit, planCalls } from '@sluice/writes';
import type { BatcherContext } from './context';

/** What woke the flush: a message said it is full, its time came, or a sweep found it. */
export type FlushSource = 'message' | 'timer' | 'sweep';

/** Milliseconds until it is due, when it is not; undefined when it was flushed, by this process or another. */
export type FlushBatch = (
  key: { projectId: string; operationId: string },
  source: FlushSource,
) => Promise<number | undefined>;

/**
 * Flushes an auto-batch. Order: 1. seal, plan its calls and store them, in one transaction. 2. Announce the calls. A crash
 * before 1 leaves an open batch that the sweep finds; after 1, calls that the executor's sweep finds.
 */
export function flusher(context: BatcherContext): FlushBatch {
  const { store, connectors, messaging, metrics, failpoints, logger } = context;
  const announcer = messaging.announcer(topics.ready);
  const flushed = metrics.counter('sluice_batches_flushed_total', 'Auto-batches flushed, by what woke the flush.', [
    'source',
  ]);
  const tellStray = strayMessages(context, topics.autoBatched);
  return async ({ projectId, operationId: id }, source) => {
    const key = { projectId, operationId: id };
    const sealing = await store.writes.seal(key, (records, { provider, type }) => {
      return planCalls(records, batchLimit(connectors.get(provider).capabilities, type) ?? 1);
    });
    if (sealing.kind === 'missing') tellStray(key);
    if (sealing.kind === 'gone' || sealing.kind === 'missing') return undefined;
    if (sealing.kind === 'not-due') return sealing.dueInMs;
    await failpoints.hit('bt.after_seal');
    const { batch } = sealing;
    announceCalls(announcer, batch);
    flushed.inc({ source });
    const { operationId, traceparent } = batch;
    logger.info({ operationId, calls: batch.calls.length, source, traceparent }, 'batch.flushed');
    return undefined;
  };
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
