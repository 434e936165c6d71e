import { createMetrics, silentLogger } from '@sluice/telemetry';
import { createApp, type AppOptions } from '../src/create-app';
import { startServer, type HttpServer, type ServerOptions } from '../src/start-server';

/** What an app or the operability of a service needs, whatever it does; it is ready and logs nothing. */
export const silent = {
  service: 'test',
  logger: silentLogger,
  ready: () => ({ ready: true, checks: {} }),
};

/** An app with everything around these routes. */
export function testApp(options: Partial<AppOptions>) {
  return createApp({ ...silent, metrics: createMetrics('test'), ...options });
}

/** The app on a port of its own. */
export function serve(app: ReturnType<typeof testApp>, options: Partial<ServerOptions> = {}): Promise<HttpServer> {
  return startServer(app, { port: 0, host: '127.0.0.1', logger: silentLogger, ...options });
}
