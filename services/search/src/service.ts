import {
  authenticator,
  type BuiltDocument,
  contractOfApp,
  createApp,
  type HttpServer,
  readyWhen,
  startServer,
} from '@sluice/http';
import type { SearchContext } from './context';
import { searchApi } from './api';
import { searchRecordsRoute } from './routes/search-records';

export { searchEnv, type SearchConfig } from './config';
export { createContext, type SearchContext } from './context';

export interface SearchService {
  /** What its routes promise. */
  readonly contract: BuiltDocument;
  /** Refuses an unmigrated database, then listens. */
  start(): Promise<{ readonly port: number }>;
  /** Requests in flight finish. */
  stop(): Promise<void>;
}

export function createSearchService(context: SearchContext): SearchService {
  const { config, logger, metrics, store } = context;
  let server: HttpServer | undefined;
  const app = createApp({
    service: 'search',
    logger,
    metrics,
    cors: true,
    api: searchApi,
    checkReplies: config.checkReplies,
    authenticate: authenticator(context.installations.findCaller),
    // Without Redis quotas are halved, which is no reason to leave the balancer.
    ready: readyWhen({ postgres: () => store.healthy() }),
    routes: (router) => searchRecordsRoute(router, context),
  });
  return {
    contract: contractOfApp(app),
    start: async () => {
      await store.assertMigrated();
      server = await startServer(app, { port: config.port, host: config.host, logger, shutdownMs: config.shutdownMs });
      return { port: server.port };
    },
    stop: async () => {
      await server?.close();
      await Promise.all([context.hints.close(), context.connectors.close(), store.close()]);
    },
  };
}
