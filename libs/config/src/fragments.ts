import { kafkaEnv, postgresEnv, redisEnv } from './dependency-env';
import type { EnvFields, EnvValues } from './env-field';

/**
 * Settings that more than one service has, or that lie in an environment several services share.
 * A setting of one service belongs here too when the services are started with one environment:
 * a `SLUICE_*` name that no table knows is refused.
 */

/** What every service has. A service gives SLUICE_PORT its own default: `{ ...commonEnv, ...portEnv(4300) }`. */
export const commonEnv = {
  NODE_ENV: {
    type: 'string',
    pattern: 'development|test|production',
    optional: true,
    doc: 'In production, settings that are for tests are refused.',
  },
  SLUICE_LOG_LEVEL: {
    type: 'string',
    pattern: 'debug|info|warn|error|silent',
    default: 'info',
    doc: 'Least severe level that is logged.',
  },
  SLUICE_HOST: { type: 'string', default: '0.0.0.0', doc: 'Address to listen on.' },
  SLUICE_PORT: { type: 'integer', min: 0, max: 65_535, doc: 'Port to listen on; 0 takes a free one.' },
  SLUICE_SHUTDOWN_MS: {
    type: 'integer',
    min: 0,
    max: 600_000,
    default: 10_000,
    doc: 'How long a stopping service waits for work in flight.',
  },
} as const satisfies EnvFields;

/** SLUICE_PORT with a default. */
export const portEnv = <const P extends number>(port: P) => ({
  SLUICE_PORT: { ...commonEnv.SLUICE_PORT, default: port },
});

/** What a service with a public API has besides: balancers need a moment to see that it leaves, and proxies pass requests on to it. */
export const publicApiEnv = {
  SLUICE_DRAIN_DELAY_MS: {
    type: 'integer',
    min: 0,
    max: 120_000,
    default: 0,
    doc: 'After SIGTERM, how long requests are still accepted while /readyz reports not ready: longer than a balancer takes to notice.',
  },
  SLUICE_IDLE_GRACE_MS: {
    type: 'integer',
    min: 0,
    max: 120_000,
    // Measured: a client on a machine of a quarter's speed sends within a second on a connection that it has kept.
    default: 3_000,
    doc: 'After its last reply, how long a stopping service leaves idle connections open for a request that is on its way; at most half of SLUICE_SHUTDOWN_MS.',
  },
  SLUICE_TRUSTED_PROXIES: {
    type: 'list',
    hasNetworks: true,
    default: [],
    doc: 'Networks (CIDR) of the proxies whose X-Forwarded-For is believed. When set, one address has at most an eighth of the connections without credentials; empty: no bound per address.',
  },
} as const satisfies EnvFields;

/** SLUICE_METRICS_PORT with a default: ten after the port that the service itself has. */
export const metricsPortEnv = <const P extends number>(port: P) =>
  ({
    SLUICE_METRICS_PORT: {
      type: 'integer',
      min: 0,
      max: 65_535,
      default: port,
      doc: 'Port of /metrics, for Prometheus alone; 0 takes a free one.',
    },
  }) as const satisfies EnvFields;

/** Keys that seal connection credentials. */
export const credentialsEnv = {
  SLUICE_CREDENTIALS_KEYS: {
    type: 'keyring',
    secret: true,
    doc: 'Keys that seal connection secrets; the first is current. Make one with: openssl rand -base64 32.',
  },
} as const satisfies EnvFields;

/** Where the providers are, and how they are called. */
export const providersEnv = {
  HUBSPOT_API_URL: { type: 'url', default: 'https://api.hubapi.com', doc: 'Base URL of the HubSpot API.' },
  SALESFORCE_LOGIN_URL: {
    type: 'url',
    default: 'https://login.salesforce.com',
    doc: 'Base URL of the Salesforce login.',
  },
  SALESFORCE_INSTANCE_URL: {
    type: 'url',
    optional: true,
    doc: 'Base URL that replaces every Salesforce instance; for the sandbox.',
  },
  SLUICE_PROVIDERS_DIR: {
    type: 'string',
    optional: true,
    doc: 'Folder of provider files in YAML beside the shipped ones; read at start, and a file that breaks a rule stops the service.',
  },
  SLUICE_PROVIDERS_URL: {
    type: 'url',
    optional: true,
    doc: 'Base URL that replaces every host of the providers that are files, except hosts on this machine; /{provider} is appended. For the sandbox.',
  },
  SLUICE_EGRESS_ALLOW: {
    type: 'list',
    hasNetworks: true,
    default: [],
    doc: 'Networks (CIDR) that provider calls may reach although they are private.',
  },
  SLUICE_CALL_TIMEOUT_MS: {
    type: 'integer',
    min: 100,
    max: 600_000,
    default: 30_000,
    doc: 'Timeout of a provider call.',
  },
} as const satisfies EnvFields;

/** How much an executor does at once, over all accounts and for each. */
export const concurrencyEnv = {
  SLUICE_CONCURRENCY: {
    type: 'integer',
    min: 1,
    max: 1024,
    default: 256,
    doc: 'Provider calls in flight at once per process.',
  },
  SLUICE_LANE_CONCURRENCY: {
    type: 'integer',
    min: 1,
    max: 64,
    default: 4,
    doc: 'Provider calls in flight at once per provider account.',
  },
} as const satisfies EnvFields;

/** How much may wait. */
export const admissionEnv = {
  SLUICE_BACKLOG_MAX: {
    type: 'integer',
    min: 1,
    max: 1_000_000_000,
    default: 1_000_000,
    doc: 'Waiting calls of one project, with the records of its open auto-batches, at which further asynchronous writes are refused.',
  },
  SLUICE_BACKLOG_BYTES_MAX: {
    type: 'integer',
    min: 10_000_000,
    max: 1_000_000_000_000,
    default: 5_000_000_000,
    doc: 'Bytes of the plans of these waiting calls and records at which further asynchronous writes are refused. A call counts at least 1,000.',
  },
  SLUICE_BACKLOG_GROUP_PERCENT: {
    type: 'integer',
    min: 1,
    max: 100,
    default: 80,
    doc: 'Share of either limit that one group may fill, in per cent of what the other groups of the project leave free. 100: all of it.',
  },
} as const satisfies EnvFields;

/** How often one caller may ask. Off by default: what is too much differs from builder to builder. */
export const requestLimitsEnv = {
  SLUICE_REQUESTS_PER_SECOND_KEY: {
    type: 'integer',
    min: 0,
    max: 1_000_000,
    default: 0,
    doc: 'Most requests of one API key, or of one signed-in person, in any second, across all services and replicas that share a Redis; further ones are answered with 429. 0: no limit.',
  },
  SLUICE_REQUESTS_PER_SECOND_GROUP: {
    type: 'integer',
    min: 0,
    max: 1_000_000,
    default: 0,
    doc: 'Most requests for one group in any second, counted alike: those of its bearer tokens, and writes and searches of API keys for it. 0: no limit.',
  },
} as const satisfies EnvFields;

/** How long what was written is kept. */
export const retentionEnv = {
  SLUICE_RETENTION_DAYS: {
    type: 'integer',
    min: 1,
    max: 3650,
    default: 30,
    doc: 'Days for which the values of a written record are kept after its operation has ended.',
  },
} as const satisfies EnvFields;

/** How long operations can be read. */
export const operationRetentionEnv = {
  SLUICE_OPERATION_RETENTION_DAYS: {
    type: 'integer',
    min: 0,
    max: 3650,
    default: 90,
    doc: 'Days after which an operation that ended is deleted with its outcomes and logs; at least SLUICE_RETENTION_DAYS. 0: never.',
  },
} as const satisfies EnvFields;

/** How notifications leave. Apart from SLUICE_EGRESS_ALLOW: builders name these addresses, operators name the providers'. */
export const webhooksEnv = {
  SLUICE_WEBHOOK_EGRESS_ALLOW: {
    type: 'list',
    hasNetworks: true,
    default: [],
    doc: 'Networks (CIDR) that notifications may reach although they are private, and without TLS.',
  },
  SLUICE_WEBHOOK_TIMEOUT_MS: {
    type: 'integer',
    min: 100,
    max: 60_000,
    default: 15_000,
    doc: 'Timeout of the delivery of a notification.',
  },
  SLUICE_WEBHOOK_CONCURRENCY: {
    type: 'integer',
    min: 2,
    max: 1024,
    default: 64,
    doc: 'Notifications in flight at once per process.',
  },
} as const satisfies EnvFields;

/** Where browsers reach the services: a provider sends customers back to management, and its pages call all three. */
export const publicUrlEnv = {
  SLUICE_PUBLIC_URL: {
    type: 'url',
    optional: true,
    doc: 'Address of the management service as browsers see it; http://127.0.0.1:<SLUICE_PORT> when absent. /callbacks/v1/oauth under it is the redirect address to register at a provider, and zips are put under /v1/uploads.',
  },
  SLUICE_PUBLIC_SEARCH_URL: {
    type: 'url',
    optional: true,
    doc: 'Address of the search service as browsers see it. When absent, the page /docs/reference cannot send a search.',
  },
  SLUICE_PUBLIC_WRITE_URL: {
    type: 'url',
    optional: true,
    doc: 'Address of the write gateway as browsers see it. When absent, /docs/reference and the console cannot send a write.',
  },
} as const satisfies EnvFields;

/** How people sign in to the console, besides with an API key. Off without an issuer. Source: OpenID Connect Core 1.0, 3.1. */
export const signInEnv = {
  SLUICE_OIDC_ISSUER: {
    type: 'url',
    optional: true,
    doc: 'OpenID provider that people sign in to the console at: the address before /.well-known/openid-configuration. /console/signed-in under SLUICE_PUBLIC_URL is the redirect address to register there.',
  },
  SLUICE_OIDC_CLIENT_ID: { type: 'string', optional: true, doc: 'The console as the OpenID provider knows it.' },
  SLUICE_OIDC_CLIENT_SECRET: {
    type: 'string',
    secret: true,
    optional: true,
    doc: 'Secret of that client; absent for one that has none.',
  },
  SLUICE_OIDC_SCOPES: {
    type: 'list',
    pattern: '[\\x21\\x23-\\x5B\\x5D-\\x7E]+',
    default: ['openid', 'profile', 'email'],
    doc: 'Scopes that are asked for; some providers give the claim of the roles only with one of their own.',
  },
  SLUICE_OIDC_ROLES_CLAIM: {
    type: 'string',
    default: 'groups',
    doc: 'Claim of the ID token, a text or a list of texts, that the three lists below are compared with.',
  },
  SLUICE_OIDC_VIEWERS: { type: 'list', default: [], doc: 'Values of the claim whose people may read every project.' },
  SLUICE_OIDC_OPERATORS: {
    type: 'list',
    default: [],
    doc: 'Values of the claim whose people may also cancel, retry and change connections and configs, as a key with the scope frontend.',
  },
  SLUICE_OIDC_ADMINS: {
    type: 'list',
    default: [],
    doc: 'Values of the claim whose people may all that a key with the scope full may.',
  },
  SLUICE_OIDC_SESSION_MINUTES: {
    type: 'integer',
    min: 5,
    max: 1440,
    default: 480,
    doc: 'How long a person stays signed in. A role that is taken away at the provider ends with it.',
  },
} as const satisfies EnvFields;

/** The bootstrap key of the management API. */
export const adminEnv = {
  SLUICE_ADMIN_KEY: {
    type: 'string',
    secret: true,
    pattern: '\\S{16,}',
    doc: 'Key for projects and their API and JWT keys, at least 16 characters.',
  },
} as const satisfies EnvFields;

/** Settings that make tests possible. The first two are refused in production. */
export const testingEnv = {
  SLUICE_TIME_SCALE: {
    type: 'number',
    min: 1,
    max: 100_000,
    default: 1,
    testOnly: true,
    doc: 'Factor by which minutes and hours of the specification pass faster; 60 makes a minute a second.',
  },
  SLUICE_FAILPOINT: {
    type: 'failpoint',
    optional: true,
    testOnly: true,
    doc: 'Failpoint: where the process fails on purpose.',
  },
  SLUICE_SWEEPS: {
    type: 'boolean',
    default: true,
    doc: 'Sweeps that find work no message announced (the lease lapse always runs).',
  },
} as const satisfies EnvFields;

/** Read by the launcher of deploy/local; services see them in a shared environment. */
export const launcherEnv = {
  SLUICE_DATA_DIR: { type: 'string', optional: true, doc: 'Folder of the embedded database.' },
  SLUICE_PORT_BASE: {
    type: 'integer',
    min: 1024,
    max: 64_000,
    default: 4000,
    doc: 'Embedded ports move together: management is this plus 100, search plus 200, write plus 300, and so on.',
  },
  SLUICE_REAL_PROVIDERS: {
    type: 'boolean',
    default: false,
    doc: 'Of the image sluice: call the real providers in place of imitations, with data of its own.',
  },
  SLUICE_NO_INSTALL: { type: 'boolean', default: false, doc: 'Never install a program that is missing.' },
} as const satisfies EnvFields;

/** The base URLs of the providers among the typed values of `providersEnv`, as the connectors take them. */
export function providerUrls(values: EnvValues<typeof providersEnv>) {
  const { hubspotApiUrl, salesforceLoginUrl, salesforceInstanceUrl, providersUrl } = values;
  return {
    hubspot: hubspotApiUrl,
    salesforceLogin: salesforceLoginUrl,
    ...(salesforceInstanceUrl === undefined ? {} : { salesforceInstance: salesforceInstanceUrl }),
    ...(providersUrl === undefined ? {} : { declared: providersUrl }),
  };
}

/** Every name of every fragment. */
export const knownNames: ReadonlySet<string> = new Set(
  [
    commonEnv,
    metricsPortEnv(0),
    publicApiEnv,
    postgresEnv,
    kafkaEnv,
    redisEnv,
    credentialsEnv,
    providersEnv,
    concurrencyEnv,
    retentionEnv,
    operationRetentionEnv,
    admissionEnv,
    requestLimitsEnv,
    adminEnv,
    publicUrlEnv,
    webhooksEnv,
    signInEnv,
    testingEnv,
    launcherEnv,
  ].flatMap((fragment) => Object.keys(fragment)),
);
