import { adminEnv, commonEnv, credentialsEnv, defineEnv, portEnv, postgresEnv, providersEnv } from '@sluice/config';

/** Settings of the management service. It needs neither Kafka nor Redis. */
export const managementEnv = defineEnv({
  ...commonEnv,
  ...portEnv(4100),
  ...postgresEnv,
  ...credentialsEnv,
  ...providersEnv,
  ...adminEnv,
});

export type ManagementConfig = ReturnType<typeof managementEnv.read>;
