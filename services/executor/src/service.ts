import { type HttpServer, startMetricsServer, startOperability } from '@sluice/http';
import { assertKeyRingComplete } from '@sluice/installations';
import type { Consumer } from '@sluice/messaging';
import { keepMinutes, watchHealth } from '@sluice/telemetry';
import { startClaimLoop, type ClaimLoop, consumeReady } from './claim-loop';
import type { ExecutorContext } from './context';
import { callRunner } from './run-call';
import { startSweeps } from './sweeps';

export { executorEnv, type ExecutorConfig } from './config';
export { createContext, type ExecutorContext } from './context';

export interface ExecutorService {
  /** Refuses an unmigrated database and a key ring that is not its own, then listens, consumes and sweeps. */
  start(): Promise<{ readonly port: number }>;
  /** Leaves the group, claims no more, finishes the calls in flight and settles them. */
  stop(): Promise<void>;
}

export function createExecutorService(context: ExecutorContext): ExecutorService {
  const { config, logger, metrics, store, messaging } = context;
  let server: HttpServer | undefined;
  let metricsServer: HttpServer | undefined;
  let consumer: Consumer | undefined;
  let loop: ClaimLoop | undefined;
  let endSweeps = (): Promise<void> => Promise.resolve();
  let endMinutes = endSweeps;
  const health = watchHealth({
    ...context,
    checks: { postgres: store.health, redis: context.hints.health, kafka: () => messaging.health() },
  });
  return {
    start: async () => {
      await store.assertMigrated();
      await assertKeyRingComplete(store, config.credentialsKeys);
      metricsServer = await startMetricsServer({ metrics, logger, port: config.metricsPort, host: config.host });
      server = await startOperability({
        service: 'executor',
        logger,
        metrics,
        ready: health.ready,
        port: config.port,
        host: config.host,
        shutdownMs: config.shutdownMs,
      });
      loop = startClaimLoop(context, callRunner(context));
      consumer = await consumeReady(context, loop.lanes);
      endSweeps = startSweeps(context, loop);
      endMinutes = keepMinutes({ service: 'executor', ...context });
      await health.start();
      return { port: server.port };
    },
    stop: async () => {
      await Promise.all([endSweeps(), consumer?.stop(), health.stop()]);
      await loop?.stop();
      context.leases.stop();
      await endMinutes();
      await messaging.close();
      await server?.close();
      await Promise.all([context.hints.close(), context.connectors.close(), store.close()]);
      // Last, so that the drain can be watched.
      await metricsServer?.close();
    },
  };
}
