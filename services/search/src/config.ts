import {
  commonEnv,
  credentialsEnv,
  defineEnv,
  metricsPortEnv,
  portEnv,
  postgresEnv,
  providersEnv,
  publicApiEnv,
  redisEnv,
  requestLimitsEnv,
} from '@sluice/config';

/** Settings of the search service. It needs no Kafka; Redis holds the quota buckets it shares with the writers. */
export const searchEnv = defineEnv({
  ...commonEnv,
  ...portEnv(4200),
  ...metricsPortEnv(4210),
  ...publicApiEnv,
  ...postgresEnv,
  ...redisEnv,
  ...credentialsEnv,
  ...providersEnv,
  ...requestLimitsEnv,
});

export type SearchConfig = ReturnType<typeof searchEnv.read>;
