import {
  commonEnv,
  defineEnv,
  kafkaEnv,
  metricsPortEnv,
  portEnv,
  postgresEnv,
  providersEnv,
  testingEnv,
} from '@sluice/config';

/** Settings of the batcher. */
export const batcherEnv = defineEnv({
  ...commonEnv,
  ...portEnv(4400),
  ...metricsPortEnv(4410),
  ...postgresEnv,
  ...kafkaEnv,
  ...providersEnv,
  ...testingEnv,
});

export type BatcherConfig = ReturnType<typeof batcherEnv.read>;
