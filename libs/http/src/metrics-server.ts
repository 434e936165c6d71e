import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger, Metrics } from '@sluice/telemetry';
import { guardConnections } from './anonymous';
import { defaultTimeouts, listen, type HttpServer } from './start-server';

export interface MetricsServerOptions {
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** 0 lets the system choose; the result names the port. */
  readonly port: number;
  readonly host: string;
  /** As those of `startServer`; their keep-alive is longer than a scraper's interval: Prometheus asks every 15 s to a minute. */
  readonly timeouts?: Partial<typeof defaultTimeouts>;
}

/** Each reply is a text of its own, of some 100 kB. A scraper sends one request at a time; the next may come before we hear that a reply was taken. */
const bounds = { anonymousMax: 32, repliesMax: 2 };

/**
 * Serves `/metrics` and nothing else, on a port of its own. The ports of the specification are open to builders, who must not read how busy a
 * service is. It answers until it is closed, so a service that drains can still be watched.
 * @throws ListenError that names the port and the setting to change
 */
export async function startMetricsServer(o: MetricsServerOptions): Promise<HttpServer> {
  const timeouts = { ...defaultTimeouts, ...o.timeouts };
  const server = createServer(timeouts, (req, res) => {
    guard.took(res);
    void answer(o, req, res);
  });
  const guard = guardConnections(server, bounds, timeouts);
  await listen(server, o, 'SLUICE_METRICS_PORT');
  server.on('error', (error) => o.logger.error({ error }, 'metrics.server-failed'));
  const { port } = server.address() as AddressInfo;
  o.logger.info({ port, host: o.host }, 'metrics.listening');
  return { port, close: () => close(server) };
}

async function answer(
  { metrics, logger }: MetricsServerOptions,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  if (!isRead || req.url?.split('?')[0] !== '/metrics') {
    res.writeHead(404, { 'Content-Type': 'text/plain' }).end('Metrics are at GET /metrics.\n');
    return;
  }
  try {
    const { contentType, body } = await metrics.expose();
    res.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(body);
  } catch (error) {
    logger.error({ error }, 'metrics.not-exposed');
    res.writeHead(500).end();
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
