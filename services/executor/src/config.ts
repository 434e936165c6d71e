import {
  ConfigError,
  commonEnv,
  concurrencyEnv,
  credentialsEnv,
  defineEnv,
  kafkaEnv,
  metricsPortEnv,
  operationRetentionEnv,
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
  ...operationRetentionEnv,
  ...testingEnv,
});

export type ExecutorConfig = ReturnType<typeof executorEnv.read>;

/** @throws ConfigError when operations would be deleted before the values of their records */
export function assertRetention({
  retentionDays,
  operationRetentionDays: days,
}: Pick<ExecutorConfig, 'retentionDays' | 'operationRetentionDays'>): void {
  if (days === 0 || days >= retentionDays) return;
  const rule = `must be 0 (never) or at least SLUICE_RETENTION_DAYS, which is ${retentionDays}`;
  throw new ConfigError([{ name: 'SLUICE_OPERATION_RETENTION_DAYS', rule, value: String(days) }]);
}
