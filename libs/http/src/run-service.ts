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
  /** Ends its parts, stage by stage. One that fails keeps no other from ending. @throws what failed */
  stop(): Promise<void>;
}

/** A service with an API. */
export interface ApiService extends RunnableService {
  /** What its routes promise. */
  readonly contract: BuiltDocument;
}

/** The stages of a stop, in their order. A stage begins when everything of the one before has ended. */
const stages = ['drain', 'consumers', 'loops', 'flush', 'close'] as const;

/**
 * One of the things that a service runs or holds, and the stage in which a stop ends it: `drain` answers the requests in flight, `consumers` leave
 * their groups, `loops` finish what they have in hand, `flush` sends and stores what is still in memory, `close` ends connections.
 */
export type ServicePart = { readonly stage: (typeof stages)[number] } & (
  | {
      /** Begins it, once the service listens. @returns ends it */
      readonly start: () => Stop | Promise<Stop>;
    }
  | {
      /** Ends what the context holds, also when the service never started. */
      readonly stop: Stop;
    }
);
type Stop = () => unknown;

interface ServiceOptions {
  readonly app: Express;
  readonly config: Omit<ServerOptions, 'logger'> & { readonly metricsPort: number };
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Before it listens. @throws for what it cannot run with */
  readonly check: () => Promise<void>;
  /** Started in the order of the list, ended by stage. */
  readonly parts: readonly ServicePart[];
}

/** A service of an app and of what it does beside. Its metrics are served first and last, so that the drain can be watched. */
export function createService({ app, config, logger, metrics, check, parts }: ServiceOptions): RunnableService {
  const stops = new Map<string, Stop[]>(stages.map((stage) => [stage, []]));
  for (const part of parts) if ('stop' in part) stops.get(part.stage)?.push(part.stop);
  let metricsServer: HttpServer | undefined;
  let isStopping = false;
  return {
    start: async () => {
      await check();
      const { port, host, metricsPort, drainDelayMs, idleGraceMs, shutdownMs, trustedProxies } = config;
      metricsServer = await startMetricsServer({ metrics, logger, port: metricsPort, host });
      const drained = { port, host, logger, drainDelayMs, idleGraceMs, shutdownMs, trustedProxies };
      const server = await startServer(app, drained);
      stops.get('drain')?.push(() => server.close());
      for (const part of parts) {
        if (isStopping || !('start' in part)) continue;
        const end = await part.start();
        if (isStopping) await end();
        else stops.get(part.stage)?.push(end);
      }
      return { port: server.port };
    },
    stop: async () => {
      isStopping = true;
      const failures: unknown[] = [];
      for (const ends of stops.values()) {
        const ended = await Promise.allSettled(ends.map(async (end) => await end()));
        failures.push(...ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : [])));
      }
      await metricsServer?.close();
      if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
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
