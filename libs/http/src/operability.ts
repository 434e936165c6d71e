import { createApp, type AppOptions } from './create-app';
import { startServer, type HttpServer, type ServerOptions } from './start-server';
import type { Readiness } from './operability-routes';

/**
 * A server for a service without a public API: health, readiness and nothing else.
 * @throws ListenError when the port cannot be bound
 */
export function startOperability(
  o: Pick<AppOptions, 'service' | 'logger' | 'metrics' | 'ready'> & ServerOptions,
): Promise<HttpServer> {
  return startServer(createApp(o), o);
}

/**
 * A readiness check that asks each dependency. List only what the service cannot work without: what it merely works better with
 * must not take it out of the balancer.
 */
export function readyWhen(healthy: Readonly<Record<string, () => Promise<boolean>>>): () => Promise<Readiness> {
  return async () => {
    const names = Object.keys(healthy);
    const answers = await Promise.all(Object.values(healthy).map((ask) => ask()));
    const checks = Object.fromEntries(names.map((name, at) => [name, answers[at] === true ? 'ok' : 'does not answer']));
    return { ready: answers.every(Boolean), checks };
  };
}
