import { commonEnv, credentialsEnv, defineEnv, portEnv, postgresEnv, providersEnv, redisEnv } from '@sluice/config';

/** Settings of the search service. It needs no Kafka; Redis holds the quota buckets it shares with the writers. */
export const searchEnv = defineEnv({
  ...commonEnv,
  ...portEnv(4200),
  ...postgresEnv,
  ...redisEnv,
  ...credentialsEnv,
  ...providersEnv,
});

export type SearchConfig = ReturnType<typeof searchEnv.read>;
