import type { ServiceName } from './stack-state';

/** The variable that names a running service, by service. */
export const urlVariables = {
  postgres: 'DATABASE_URL',
  redis: 'REDIS_URL',
  kafka: 'KAFKA_BROKERS',
} as const satisfies Record<ServiceName, string>;

/** Addresses that the environment gives; an empty variable gives none. */
export function givenUrls(env: NodeJS.ProcessEnv): Partial<Record<ServiceName, string>> {
  const pairs = Object.entries(urlVariables).map(([name, variable]) => [name, env[variable]?.trim()] as const);
  return Object.fromEntries(pairs.filter(([, url]) => url !== undefined && url !== ''));
}
