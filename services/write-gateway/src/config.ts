import {
  admissionEnv,
  commonEnv,
  credentialsEnv,
  defineEnv,
  kafkaEnv,
  metricsPortEnv,
  portEnv,
  postgresEnv,
  providersEnv,
  publicApiEnv,
  redisEnv,
  requestLimitsEnv,
  testingEnv,
} from '@sluice/config';

/** Settings of the write gateway. */
export const gatewayEnv = defineEnv({
  ...commonEnv,
  ...portEnv(4300),
  ...metricsPortEnv(4310),
  ...publicApiEnv,
  ...postgresEnv,
  ...kafkaEnv,
  ...redisEnv,
  ...credentialsEnv,
  ...providersEnv,
  ...admissionEnv,
  ...requestLimitsEnv,
  ...testingEnv,
});

export type GatewayConfig = ReturnType<typeof gatewayEnv.read>;
