import {
  admissionEnv,
  commonEnv,
  credentialsEnv,
  defineEnv,
  drainEnv,
  kafkaEnv,
  metricsPortEnv,
  portEnv,
  postgresEnv,
  providersEnv,
  proxiesEnv,
  redisEnv,
  requestLimitsEnv,
  testingEnv,
} from '@sluice/config';

/** Settings of the write gateway. */
export const gatewayEnv = defineEnv({
  ...commonEnv,
  ...portEnv(4300),
  ...metricsPortEnv(4310),
  ...drainEnv,
  ...proxiesEnv,
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
