import type { BuiltDocument } from '@sluice/http';
import { createContext as managementContext, createManagementService, managementEnv } from '@sluice/management';
import { createInProcessHub, createInProcessMessaging } from '@sluice/messaging';
import { createInMemoryRedis } from '@sluice/redis';
import { createContext as searchContext, createSearchService, searchEnv } from '@sluice/search';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { createContext as gatewayContext, createGatewayService, gatewayEnv } from '@sluice/write-gateway';

/** The services that have an API, by the name of their part of the client. */
export type ApiName = 'management' | 'search' | 'write';

/** Addresses at which nobody is: a service that is not started asks none of them. */
const env = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
  KAFKA_BROKERS: '127.0.0.1:9',
  REDIS_URL: 'redis://127.0.0.1:9',
  SLUICE_ADMIN_KEY: 'no-key-of-anything',
  SLUICE_CREDENTIALS_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};

/** The contracts of the services as they register their routes; nothing is started. */
export async function readDocuments(): Promise<Record<ApiName, BuiltDocument>> {
  const redis = createInMemoryRedis();
  const metrics = createMetrics('contracts');
  const messaging = createInProcessMessaging({ hub: createInProcessHub(), logger: silentLogger, metrics });
  const observed = { logger: silentLogger };
  const services = {
    management: createManagementService(managementContext(managementEnv.read(env), observed)),
    search: createSearchService(searchContext(searchEnv.read(env), { ...observed, redis })),
    write: createGatewayService(gatewayContext(gatewayEnv.read(env), { ...observed, redis, messaging })),
  };
  const { management, search, write } = services;
  await Promise.all(Object.values(services).map((service) => service.stop()));
  return { management: management.contract, search: search.contract, write: write.contract };
}
