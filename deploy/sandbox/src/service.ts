import { createApp, startServer, type Router } from '@sluice/http';
import { createMetrics, silentLogger, type Logger } from '@sluice/telemetry';
import { controlRoutes } from './routes/control-routes';
import { pageRoute } from './routes/page-route';
import { providerRoutes } from './routes/provider-routes';
import { Sandbox } from './sandbox';
import { scriptedLogger } from './scripted-logger';

export type { LedgerEntry } from './control/ledger';
export type { FaultRequest } from './control/fault';

export interface SandboxOptions {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** @default silent */
  readonly logger?: Logger;
  /** The clock behind timestamps, limits and search lag; waits always take real time. @default the system's */
  readonly now?: () => Date;
  /** Path of a journal that keeps accounts, records and the ledger over restarts. @default nothing is kept */
  readonly ledgerFile?: string;
  /** Search lag of accounts that ask for none, in milliseconds. @default 0 */
  readonly searchLagMs?: number;
  /** Longest wait for calls in flight when closing or draining. @default 2000 */
  readonly shutdownMs?: number;
}

/** A running sandbox. */
export interface RunningSandbox {
  /** Base URL of the imitated APIs, of the control API and of the page: `http://127.0.0.1:4600`. */
  readonly url: string;
  readonly port: number;
  /** Cuts the calls that wait by script, stops listening, finishes the others and the journal. Repeatable. */
  close(): Promise<void>;
  /** Stops listening and finishes every call in flight; what is left after `shutdownMs` is cut, and the journal finished. */
  drain(): Promise<void>;
}

/**
 * Starts the imitated providers with their control API and their page.
 * @throws ListenError when the port is taken
 */
export async function createSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const logger = scriptedLogger(options.logger ?? silentLogger);
  const sandbox = new Sandbox({
    now: options.now ?? (() => new Date()),
    defaults: { searchLagMs: options.searchLagMs ?? 0 },
    ledgerFile: options.ledgerFile,
  });
  const app = createApp({
    service: 'sandbox',
    logger,
    metrics: createMetrics('sandbox'),
    ready: () => Promise.resolve({ ready: true, checks: {} }),
    routes: (router) => register(sandbox, router),
  });
  const { port, host, shutdownMs = 2000 } = options;
  const server = await startServer(app, { port, host, logger, shutdownMs });
  const drain = async (): Promise<void> => {
    await server.close();
    sandbox.stop();
    await sandbox.close();
  };
  const close = (): Promise<void> => {
    sandbox.stop();
    return drain();
  };
  let closing: Promise<void> | undefined;
  const shownHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return {
    url: `http://${shownHost}:${server.port}`,
    port: server.port,
    close: () => (closing ??= close()),
    drain: () => (closing ??= drain()),
  };
}

function register(sandbox: Sandbox, router: Router): void {
  pageRoute(sandbox, router);
  controlRoutes(sandbox, router);
  providerRoutes(sandbox, router);
}
