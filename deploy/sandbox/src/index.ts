import { commonEnv, defineEnv, portEnv, readProcessEnv } from '@sluice/config';
import { createLogger } from '@sluice/telemetry';
import { createSandbox } from './service';

/** Settings of a sandbox that runs alone. */
const sandboxEnv = defineEnv({
  ...commonEnv,
  ...portEnv(4600),
  SLUICE_SANDBOX_LEDGER: {
    type: 'string',
    optional: true,
    doc: 'File that keeps accounts, records and ledger across restarts; without it they are lost when the process ends.',
  },
});

async function main(): Promise<void> {
  const config = sandboxEnv.read(readProcessEnv());
  const logger = createLogger({ service: 'sandbox', level: config.logLevel });
  logger.info(sandboxEnv.describe(config), 'sandbox.starting');
  const sandbox = await createSandbox({
    port: config.port,
    host: config.host,
    logger,
    shutdownMs: config.shutdownMs,
    ...(config.sandboxLedger === undefined ? {} : { ledgerFile: config.sandboxLedger }),
  });
  const stop = (signal: string) => {
    logger.info({ signal }, 'sandbox.stopping');
    void sandbox.drain().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
