export { ConfigError, type ConfigProblem } from './config-error';
export { defineEnv, readProcessEnv, type EnvTable } from './define-env';
export type { EnvFields, EnvValues } from './env-field';
export { createFailpoints, failpointNames, type FailpointName, type Failpoints } from './failpoints';
export {
  adminEnv,
  admissionEnv,
  commonEnv,
  concurrencyEnv,
  credentialsEnv,
  launcherEnv,
  metricsPortEnv,
  portEnv,
  providersEnv,
  providerUrls,
  publicApiEnv,
  publicUrlEnv,
  requestLimitsEnv,
  operationRetentionEnv,
  retentionEnv,
  signInEnv,
  testingEnv,
  webhooksEnv,
} from './fragments';
export { kafkaEnv, optionalRedisEnv, postgresEnv, redisEnv } from './dependency-env';
export { connectorOptions, databaseAccess, databaseOptions, kafkaAccess, redisAccess } from './dependency-access';
export { ipFamilyOf, networksOf } from './networks';
export { nearestName, nearestNames } from './nearest-name';
