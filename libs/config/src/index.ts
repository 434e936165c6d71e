export { ConfigError, type ConfigProblem } from './config-error';
export { defineEnv, type EnvTable } from './define-env';
export type { EnvField, EnvFields, EnvValues, SettingKey } from './env-field';
export { failpointNames, type FailpointName } from './failpoint-spec';
export { createFailpoints, type FailpointEffects, type Failpoints } from './failpoints';
export {
  adminEnv,
  admissionEnv,
  commonEnv,
  concurrencyEnv,
  credentialsEnv,
  drainEnv,
  kafkaEnv,
  launcherEnv,
  metricsPortEnv,
  portEnv,
  postgresEnv,
  providersEnv,
  providerUrls,
  publicUrlEnv,
  optionalRedisEnv,
  redisEnv,
  requestLimitsEnv,
  retentionEnv,
  testingEnv,
  webhooksEnv,
} from './fragments';
export type { Keyring } from './keyring';
export { readProcessEnv } from './process-env';
export { kafkaAccess, type KafkaAccess } from './kafka-access';
export { nearestName } from './nearest-name';
