import { type ApiInfo, type ApiService, authenticator, contractOfApp, createApp, createService } from '@sluice/http';
import { assertKeyRingComplete } from '@sluice/installations';
import { keepMinutes, watchHealth } from '@sluice/telemetry';
import type { SearchContext } from './context';
import { searchRecordsRoute } from './routes/search-records';

export { searchEnv, type SearchConfig } from './config';
export { createContext, type SearchContext } from './context';

/** What the search API is, for its document. */
const searchApi: ApiInfo = {
  title: 'Sluice search API',
  description: [
    "Finds records in a customer's SaaS account: one page of provider results, for narrow, targeted queries. Paths are relative to the base URL, which ends in /v1.",
    'Every request carries the header x-api-key, or Authorization: Bearer. Errors are problem documents (RFC 9457, application/problem+json).',
    "Searching uses the object's read definition: its mappings apply. schedule, destination, backfill and fieldFilters of a read object are stored, but not executed. They do not change which records are found.",
  ].join('\n\n'),
  tags: [{ name: 'Search', description: 'Records of a provider.' }],
};

export function createSearchService(context: SearchContext): ApiService {
  const { config, logger, metrics, store } = context;
  const health = watchHealth({
    ...context,
    isSilent: store.isSilent,
    checks: { postgres: store.health, redis: context.redis.health },
  });
  const app = createApp({
    service: 'search',
    logger,
    metrics,
    cors: true,
    api: searchApi,
    authenticate: context.requestLimits.after(authenticator(context.installations.findCaller)),
    // Without Redis quotas are halved, which is no reason to leave the balancer.
    ready: health.ready,
    routes: (router) => searchRecordsRoute(router, context),
  });
  const service = createService({
    ...context,
    app,
    check: async () => {
      await store.assertMigrated();
      await assertKeyRingComplete(store, config.credentialsKeys);
    },
    parts: [
      { stage: 'loops', start: () => health.start() },
      { stage: 'flush', start: () => keepMinutes({ service: 'search', ...context }) },
      { stage: 'close', stop: () => context.redis.close() },
      { stage: 'close', stop: () => context.connectors.close() },
      { stage: 'close', stop: () => store.close() },
    ],
  });
  return { contract: contractOfApp(app), ...service };
}
