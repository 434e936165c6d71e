import { ConfigError } from '@sluice/config';
import { SluiceError } from '@sluice/errors';
import { flushTraces, type Logger, type Metrics } from '@sluice/telemetry';
import type { Express } from 'express';
import type { BuiltDocument } from './contract/route-contract';
import { startMetricsServer } from './metrics-server';
import { startServer, type HttpServer, type ServerOptions } from './start-server';

/** A service as its executable sees it. */
export interface RunnableService {
  /** Refuses an unmigrated database and a key ring that is not its own, then listens. */
  start(): Promise<{ readonly port: number }>;
  /** Drains; resolves when nothing is left in flight. */
  stop(): Promise<void>;
}

/** A service with an API. */
export interface ApiService extends RunnableService {
  /** What its routes promise. */
  readonly contract: BuiltDocument;
}

interface ServiceParts {
  readonly app: Express;
  readonly config: Omit<ServerOptions, 'logger'> & { readonly metricsPort: number };
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Before it listens. @throws for what it cannot run with */
  readonly check: () => Promise<void>;
  /** Begins what it does beside answering, once it listens. */
  readonly begin: () => Promise<void>;
  /** Ends all that there is, in its order, also when it was never begun. @param closeServer answers the requests in flight */
  readonly end: (closeServer: () => Promise<void>) => Promise<void>;
}

/** A service of an app and of what it does beside. Its metrics are served first and last, so that the drain can be watched. */
export function createService({ app, config, logger, metrics, check, begin, end }: ServiceParts): RunnableService {
  let server: HttpServer | undefined;
  let metricsServer: HttpServer | undefined;
  return {
    start: async () => {
      await check();
      const { port, host, metricsPort, drainDelayMs, idleGraceMs, shutdownMs, trustedProxies } = config;
      metricsServer = await startMetricsServer({ metrics, logger, port: metricsPort, host });
      server = await startServer(app, { port, host, logger, drainDelayMs, idleGraceMs, shutdownMs, trustedProxies });
      await begin();
      return { port: server.port };
    },
    stop: async () => {
      await end(async () => await server?.close());
      await metricsServer?.close();
    },
  };
}

/**
 * Runs a service as a process: starts it, stops it on SIGTERM and SIGINT, and ends with 0 after a clean stop. What keeps it from
 * starting is printed as sentences, with exit code 1: an engineer reads this, not a log collector.
 */
export async function runService(
  create: () => { service: RunnableService; logger: Logger; shutdownMs: number },
): Promise<void> {
  let isStopping = false;
  try {
    const { service, logger, shutdownMs } = create();
    const stop = (signal: NodeJS.Signals): void => {
      if (isStopping) return;
      isStopping = true;
      logger.info({ signal }, 'service.stopping');
      // Unfinished work is found again: leases lapse, sweeps run. A supervisor's SIGKILL would leave no log line.
      setTimeout(() => giveUp(logger), shutdownMs + graceMs).unref();
      void endProcess(service, logger);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    collectGarbage();
    const { port } = await service.start();
    logger.info({ port }, 'service.started');
  } catch (error) {
    // A stop that arrives during the start takes away what the start is using.
    if (isStopping) return;
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  }
}

/**
 * Collects what loading the modules left behind, with `node --expose-gc`, as in the images. That is a quarter of an idle process, and an idle
 * process would never collect it. Runs before the start, when no request waits.
 */
function collectGarbage(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

async function endProcess(service: RunnableService, logger: Logger): Promise<void> {
  const code = await service.stop().then(
    () => 0,
    (error: unknown) => {
      logger.error({ error }, 'service.stop-failed');
      return 1;
    },
  );
  await flushTraces();
  process.exit(code);
}

/** Beyond the setting, for closing pools and leaving groups. */
const graceMs = 5_000;

function giveUp(logger: Logger): void {
  logger.error({}, 'service.stop-timed-out');
  process.exit(1);
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.detail;
  if (error instanceof SluiceError) return [error.detail, error.remedy ?? ''].join('\n').trim();
  return error instanceof Error ? error.message : String(error);
}
