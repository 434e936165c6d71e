import type { EnvFields } from './env-field';

/** Certificates for the TLS of a dependency, as PEM text. */
const certificatesEnv = <const P extends string>(prefix: P, needs: string) =>
  ({
    [`${prefix}_CA`]: {
      type: 'string',
      optional: true,
      doc: `PEM certificates of the authorities that the server's certificate is checked against, in place of the public ones. Needs ${needs}.`,
    },
    [`${prefix}_CLIENT_CERT`]: {
      type: 'string',
      optional: true,
      doc: `PEM client certificate, for a server that requires one. Needs ${needs}.`,
    },
    [`${prefix}_CLIENT_KEY`]: {
      type: 'string',
      optional: true,
      secret: true,
      doc: `PEM key of ${prefix}_CLIENT_CERT, without a passphrase.`,
    },
  }) as Record<`${P}_CA` | `${P}_CLIENT_CERT`, OptionalText> &
    Record<`${P}_CLIENT_KEY`, OptionalText & { secret: true }>;

type OptionalText = { readonly type: 'string'; readonly optional: true; readonly doc: string };

/** The store. */
export const postgresEnv = {
  DATABASE_URL: {
    type: 'url',
    protocols: ['postgres', 'postgresql'],
    secret: true,
    doc: 'PostgreSQL, 15 or later: postgres://user:password@host:5432/database.',
  },
  ...certificatesEnv('DATABASE', 'sslmode=verify-full, verify-ca or require in DATABASE_URL'),
  SLUICE_DATABASE_POOL: {
    type: 'integer',
    min: 1,
    max: 200,
    default: 10,
    doc: 'Most database connections per process.',
  },
  SLUICE_DATABASE_PREPARED: {
    type: 'boolean',
    default: true,
    doc: 'Prepare hot statements, so that each connection plans them once. Turn it off behind a pooler in transaction mode without support for prepared statements: PgBouncer before 1.21.',
  },
  SLUICE_DATABASE_WAIT_MS: {
    type: 'integer',
    min: 0,
    max: 600_000,
    default: 30_000,
    doc: 'How long a starting process waits for a database that is busy, starting or unreachable. A refused login or a missing database ends it at once.',
  },
} as const satisfies EnvFields;

/** The broker. */
export const kafkaEnv = {
  KAFKA_BROKERS: {
    type: 'list',
    pattern: '[^\\s,]+:\\d{1,5}',
    doc: 'Kafka bootstrap brokers: host:port, several separated by commas.',
  },
  KAFKA_TOPIC_PREFIX: {
    type: 'string',
    pattern: '[\\w.-]{1,100}',
    optional: true,
    doc: 'Put before the name of every topic and consumer group, so that several Sluices share a Kafka.',
  },
  KAFKA_TLS: { type: 'boolean', default: false, doc: 'Use TLS for connections to the brokers.' },
  ...certificatesEnv('KAFKA', 'KAFKA_TLS'),
  KAFKA_SASL_MECHANISM: {
    type: 'string',
    optional: true,
    pattern: 'plain|scram-sha-256|scram-sha-512',
    doc: 'SASL mechanism for the brokers; clients do not authenticate without it. Needs a user name and a password.',
  },
  KAFKA_SASL_USERNAME: { type: 'string', optional: true, doc: 'User name for KAFKA_SASL_MECHANISM.' },
  KAFKA_SASL_PASSWORD: { type: 'string', optional: true, secret: true, doc: 'Password for KAFKA_SASL_MECHANISM.' },
} as const satisfies EnvFields;

/** The cache and the quota buckets. */
export const redisEnv = {
  REDIS_URL: {
    type: 'url',
    protocols: ['redis', 'rediss'],
    secret: true,
    doc: 'Redis, for hints only: redis://host:6379, rediss://host:6379 with TLS.',
  },
  ...certificatesEnv('REDIS', 'rediss:// in REDIS_URL'),
} as const satisfies EnvFields;

/** Redis for a service that only reads it. */
export const optionalRedisEnv = {
  ...redisEnv,
  REDIS_URL: {
    ...redisEnv.REDIS_URL,
    optional: true,
    doc: 'Redis, to show what is left of a quota: redis://host:6379, rediss://host:6379 with TLS.',
  },
} as const satisfies EnvFields;
