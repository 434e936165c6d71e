import {
  admissionEnv,
  commonEnv,
  credentialsEnv,
  defineEnv,
  kafkaEnv,
  portEnv,
  postgresEnv,
  providersEnv,
  redisEnv,
  testingEnv,
} from '@sluice/config';

/** Settings of the write gateway. */
export const gatewayEnv = defineEnv({
  ...commonEnv,
  ...portEnv(4300),
  ...postgresEnv,
  ...kafkaEnv,
  ...redisEnv,
  ...credentialsEnv,
  ...providersEnv,
  ...admissionEnv,
  ...testingEnv,
});

export type GatewayConfig = ReturnType<typeof gatewayEnv.read>;
