import {
  adminEnv,
  commonEnv,
  credentialsEnv,
  defineEnv,
  drainEnv,
  metricsPortEnv,
  optionalRedisEnv,
  portEnv,
  postgresEnv,
  providersEnv,
  publicUrlEnv,
  requestLimitsEnv,
  retentionEnv,
  testingEnv,
  webhooksEnv,
} from '@sluice/config';

/** Settings of the management service. It needs neither Kafka nor Redis; with Redis it shows what is left of a quota. */
export const managementEnv = defineEnv({
  ...commonEnv,
  ...portEnv(4100),
  ...metricsPortEnv(4110),
  ...drainEnv,
  ...postgresEnv,
  ...optionalRedisEnv,
  ...credentialsEnv,
  ...providersEnv,
  ...adminEnv,
  ...publicUrlEnv,
  ...webhooksEnv,
  ...retentionEnv,
  ...requestLimitsEnv,
  // A replay sets deadlines, as an accept does.
  SLUICE_TIME_SCALE: testingEnv.SLUICE_TIME_SCALE,
  SLUICE_FAILPOINT: testingEnv.SLUICE_FAILPOINT,
});

export type ManagementConfig = ReturnType<typeof managementEnv.read>;

/** Where others reach this service; its paths start with `/v1`. */
export function publicAddress({ publicUrl, port }: Pick<ManagementConfig, 'publicUrl' | 'port'>): string {
  return publicUrl ?? `http://127.0.0.1:${port}`;
}
