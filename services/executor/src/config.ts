import {
  commonEnv,
  concurrencyEnv,
  credentialsEnv,
  defineEnv,
  kafkaEnv,
  metricsPortEnv,
  portEnv,
  postgresEnv,
  providersEnv,
  redisEnv,
  retentionEnv,
  testingEnv,
} from '@sluice/config';

/** Settings of the executor. */
export const executorEnv = defineEnv({
  ...commonEnv,
  ...portEnv(4500),
  ...metricsPortEnv(4510),
  ...postgresEnv,
  ...kafkaEnv,
  ...redisEnv,
  ...credentialsEnv,
  ...providersEnv,
  ...concurrencyEnv,
  ...retentionEnv,
  ...testingEnv,
});

export type ExecutorConfig = ReturnType<typeof executorEnv.read>;
