import { ConfigError } from '@sluice/config';
import { SluiceError } from '@sluice/errors';
import type { Logger } from '@sluice/telemetry';

/** A service as its executable sees it. */
export interface RunnableService {
  start(): Promise<{ readonly port: number }>;
  /** Drains; resolves when nothing is left in flight. */
  stop(): Promise<void>;
}

/**
 * Runs a service as a process: starts it, stops it on SIGTERM and SIGINT, and ends with 0 after a clean stop. What keeps it from
 * starting is printed as sentences, with exit code 1: an engineer reads this, not a log collector.
 */
export async function runService(create: () => { service: RunnableService; logger: Logger }): Promise<void> {
  let isStopping = false;
  try {
    const { service, logger } = create();
    const stop = (signal: NodeJS.Signals): void => {
      isStopping = true;
      logger.info({ signal }, 'service.stopping');
      service.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ error }, 'service.stop-failed');
          process.exit(1);
        },
      );
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    const { port } = await service.start();
    logger.info({ port }, 'service.started');
  } catch (error) {
    // A stop that arrives during the start takes away what the start is using.
    if (isStopping) return;
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  }
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.detail;
  if (error instanceof SluiceError) return [error.detail, error.remedy ?? ''].join('\n').trim();
  return error instanceof Error ? error.message : String(error);
}
