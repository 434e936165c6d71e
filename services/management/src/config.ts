import {
  ConfigError,
  type ConfigProblem,
  adminEnv,
  commonEnv,
  credentialsEnv,
  defineEnv,
  metricsPortEnv,
  optionalRedisEnv,
  portEnv,
  postgresEnv,
  providersEnv,
  publicApiEnv,
  publicUrlEnv,
  requestLimitsEnv,
  retentionEnv,
  signInEnv,
  testingEnv,
  webhooksEnv,
} from '@sluice/config';

/** Settings of the management service. It needs neither Kafka nor Redis; with Redis it shows what is left of a quota. */
export const managementEnv = defineEnv({
  ...commonEnv,
  ...portEnv(4100),
  ...metricsPortEnv(4110),
  ...publicApiEnv,
  ...postgresEnv,
  ...optionalRedisEnv,
  ...credentialsEnv,
  ...providersEnv,
  ...adminEnv,
  ...publicUrlEnv,
  ...webhooksEnv,
  ...signInEnv,
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

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** @throws ConfigError when the settings let no person sign in, or give no person a role */
export function assertSignIn({
  oidcIssuer: issuer,
  oidcClientId: clientId,
  ...config
}: Pick<
  ManagementConfig,
  'oidcIssuer' | 'oidcClientId' | 'oidcViewers' | 'oidcOperators' | 'oidcAdmins' | 'publicUrl'
>): void {
  if (issuer === undefined && clientId === undefined) return;
  const problems: ConfigProblem[] = [];
  const isNeeded = 'is needed for people to sign in with OpenID Connect';
  if (issuer === undefined)
    problems.push({ name: 'SLUICE_OIDC_ISSUER', rule: `${isNeeded}, as SLUICE_OIDC_CLIENT_ID is set` });
  if (clientId === undefined)
    problems.push({ name: 'SLUICE_OIDC_CLIENT_ID', rule: `${isNeeded}, as SLUICE_OIDC_ISSUER is set` });
  const url = issuer === undefined ? undefined : new URL(issuer);
  if (url?.protocol === 'http:' && !loopback.has(url.hostname)) {
    problems.push({
      name: 'SLUICE_OIDC_ISSUER',
      rule: 'must begin with https://, unless it is on this machine',
      value: issuer,
    });
  }
  const { publicUrl } = config;
  if (publicUrl?.startsWith('http:') && !loopback.has(new URL(publicUrl).hostname)) {
    problems.push({
      name: 'SLUICE_PUBLIC_URL',
      rule: 'must begin with https:// for people to sign in, unless it is on this machine',
      value: publicUrl,
    });
  }
  if (config.oidcViewers.length + config.oidcOperators.length + config.oidcAdmins.length === 0) {
    const others = 'SLUICE_OIDC_OPERATORS and SLUICE_OIDC_ADMINS';
    problems.push({
      name: 'SLUICE_OIDC_VIEWERS',
      rule: `must name a value of the claim, or ${others} must: nobody has a role`,
    });
  }
  if (problems.length > 0) throw new ConfigError(problems);
}
