import { createApp, startServer, type Router, type RequestHandler, sendJson, type Request } from '@sluice/http';
import { createMetrics, silentLogger, type Logger } from '@sluice/telemetry';
import { controlRoutes } from './routes/control-routes';
import { Sandbox } from './sandbox';
import type { ImitatedProvider, ReceivedCall } from './control/imitated-provider';
import { deliver } from './routes/deliver';
import { performCall } from './routes/perform-call';

export type { LedgerEntry } from './control/ledger';
export type { FaultRequest } from './control/faults';

export interface SandboxOptions {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** @default silent */
  readonly logger?: Logger;
  /** The clock behind timestamps, limits and search lag; waits always take real time. @default the system's */
  readonly now?: () => Date;
  /** Path of a journal that keeps accounts, records and the ledger over restarts. @default nothing is stored */
  readonly ledgerFile?: string;
  /** Longest wait for calls in flight when closing or draining. @default 2000 */
  readonly shutdownMs?: number;
}

/** A running sandbox. */
export interface RunningSandbox {
  /** Base URL of the imitated APIs and of the control API: `http://127.0.0.1:4600`. */
  readonly url: string;
  readonly port: number;
  /** Cuts the calls that wait by script, stops listening, finishes the others and the journal. Repeatable. */
  close(): Promise<void>;
  /** Stops listening and finishes every call in flight; what is left after `shutdownMs` is cut, and the journal finished. */
  drain(): Promise<void>;
}

/**
 * Starts the imitated providers with their control API.
 * @throws ListenError when the port is taken
 */
export async function createSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const logger = scriptedLogger(options.logger ?? silentLogger);
  const sandbox = new Sandbox({
    now: options.now ?? (() => new Date()),
    ledgerFile: options.ledgerFile,
  });
  const app = createApp({
    service: 'sandbox',
    logger,
    metrics: createMetrics('sandbox'),
    ready: () => ({ ready: true, checks: {} }),
    routes: (router) => {
      controlRoutes(sandbox, router);
      providerRoutes(sandbox, router);
    },
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

/** A logger for an app that fails on purpose: a scripted 5xx needs no attention. Real failures carry the error; scripted ones do not. */
function scriptedLogger(logger: Logger): Logger {
  return {
    ...logger,
    error: (fields, event) => {
      const isReal = !('error' in fields) || fields.error !== undefined;
      if (isReal) logger.error(fields, event);
      else logger.debug(fields, event);
    },
    child: (fields) => scriptedLogger(logger.child(fields)),
  };
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Registers the addresses of every provider; unknown paths below them get the provider's own error. */
export function providerRoutes(sandbox: Sandbox, router: Router): void {
  for (const provider of sandbox.providers) {
    const handler = providerHandler(sandbox, provider);
    for (const segment of provider.segments) {
      for (const method of methods) router[method](`/${segment}/*rest`, handler);
    }
  }
  const known = sandbox.providers.flatMap(({ segments }) => segments).filter((segment) => segment.startsWith('rest/'));
  for (const method of methods) router[method]('/rest/*rest', notImitated(known));
}

/** A provider that is declared in a file and not imitated: in a demo, nothing is forwarded to the real one. */
function notImitated(known: readonly string[]): RequestHandler {
  return (req, res) => {
    const [, , name = ''] = req.path.split('/');
    const names = known.map((segment) => segment.slice('rest/'.length)).join(', ');
    const message = `The sandbox imitates no provider called ${name}, and sends nothing on; it imitates: ${names}.`;
    sendJson(res, 501, { error: 'provider.not-imitated', message });
  };
}

/** Handles the requests to a provider. */
function providerHandler(sandbox: Sandbox, provider: ImitatedProvider): RequestHandler {
  return async (req, res) => {
    const received = await receiveCall(req);
    if (!received) {
      req.socket.destroy();
      return;
    }
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    try {
      deliver(req, res, await performCall(sandbox, { provider, received, gone: gone.signal }));
    } catch (error) {
      // The account was cleared or the sandbox closes while the call was waiting.
      if (!isAbort(error)) throw error;
      req.socket.destroy();
    }
  };
}

const isAbort = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';

/** Far above what a batch of 100 records needs; a larger body is an error of the caller. */
const BODY_BYTES_MAX = 20_000_000;

/**
 * Reads a call to its end.
 * @returns undefined when the caller left before that, or sent too much
 */
async function receiveCall(req: Request): Promise<ReceivedCall | undefined> {
  const bodyText = await readText(req);
  if (bodyText === undefined) return undefined;
  const url = new URL(req.originalUrl, `http://${req.headers.host ?? 'localhost'}`);
  const headers = Object.entries(req.headers).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return {
    method: req.method,
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(headers),
    bodyText,
    contentType: req.headers['content-type'] ?? '',
    origin: url.origin,
  };
}

async function readText(req: Request): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}
