import { type HttpServer, startMetricsServer, startOperability } from '@sluice/http';
import type { Consumer } from '@sluice/messaging';
import { keepMinutes, watchHealth } from '@sluice/telemetry';
import { consumeAutoBatched, createDueTimers } from './consumers/auto-batched';
import type { BatcherContext } from './context';
import { flusher } from './flush-batch';
import { sampleBacklog, storeBacklog } from './sample-backlog';
import { sweepDue } from './sweep-due';
import { sweepKeys } from './sweep-keys';

export { batcherEnv, type BatcherConfig } from './config';
export { createContext, type BatcherContext } from './context';

export interface BatcherService {
  /** Refuses an unmigrated database, then listens and consumes. */
  start(): Promise<{ readonly port: number }>;
  /** Leaves the group after the flushes in hand. */
  stop(): Promise<void>;
}

export function createBatcherService(context: BatcherContext): BatcherService {
  const { config, logger, metrics, store, messaging } = context;
  const flush = flusher(context);
  const timers = createDueTimers(flush, logger);
  let server: HttpServer | undefined;
  let metricsServer: HttpServer | undefined;
  let consumer: Consumer | undefined;
  let endSweeps = (): Promise<unknown> => Promise.resolve();
  const health = watchHealth({ ...context, checks: { postgres: store.health, kafka: () => messaging.health() } });
  return {
    start: async () => {
      await store.assertMigrated();
      metricsServer = await startMetricsServer({ metrics, logger, port: config.metricsPort, host: config.host });
      server = await startOperability({
        service: 'batcher',
        logger,
        metrics,
        ready: health.ready,
        port: config.port,
        host: config.host,
        shutdownMs: config.shutdownMs,
      });
      consumer = await consumeAutoBatched(context, flush, timers);
      const minutes = keepMinutes({ service: 'batcher', ...context });
      const ends = [
        sweepDue(context, flush),
        sweepKeys(context),
        sampleBacklog(context),
        storeBacklog(context),
        minutes,
      ];
      endSweeps = () => Promise.all(ends.map((end) => end()));
      await health.start();
      return { port: server.port };
    },
    stop: async () => {
      await Promise.all([endSweeps(), consumer?.stop(), health.stop()]);
      await timers.stop();
      await messaging.close();
      await server?.close();
      await Promise.all([context.connectors.close(), store.close()]);
      // Last, so that the drain can be watched.
      await metricsServer?.close();
    },
  };
}
