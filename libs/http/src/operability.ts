import { createApp, type AppOptions } from './create-app';
import { startServer, type HttpServer, type ServerOptions } from './start-server';

/**
 * A server for a service without a public API: health, readiness and nothing else.
 * @throws ListenError when the port cannot be bound
 */
export function startOperability(
  o: Pick<AppOptions, 'service' | 'logger' | 'metrics' | 'ready'> & ServerOptions,
): Promise<HttpServer> {
  return startServer(createApp(o), o);
}
