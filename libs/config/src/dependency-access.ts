import { ConfigError, type ConfigProblem } from './config-error';
import type { EnvValues } from './env-field';
import type { kafkaEnv, optionalRedisEnv, postgresEnv } from './dependency-env';
import { providerUrls, type providersEnv } from './fragments';

/** Certificates of a TLS connection, each as PEM text. */
export interface TlsCertificates {
  /** Those that sign the server's one, in place of the public authorities. */
  readonly ca?: string;
  /** The client's own, and its key, which is secret: both or neither. */
  readonly cert?: string;
  readonly key?: string;
}

/** How the database is reached. */
export interface DatabaseAccess {
  /** `postgres://…`. Secret. */
  readonly url: string;
  /** Present: certificates for the TLS that `sslmode` of the URL asks for. */
  readonly tls?: TlsCertificates;
}

/** How Redis is reached. */
export interface RedisAccess {
  /** `redis://` or `rediss://`. Secret. */
  readonly url: string;
  /** Present: certificates for `rediss://`. */
  readonly tls?: TlsCertificates;
}

/** How the brokers are reached. */
export interface KafkaAccess {
  /** `host:port`, at least one. */
  readonly brokers: readonly string[];
  /** Put before every topic and group. Absent: nothing. */
  readonly prefix?: string;
  /** Present: TLS. */
  readonly tls?: TlsCertificates;
  /** Present: the client signs in. The password is secret. */
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  };
}

/**
 * The database settings among the typed values of `postgresEnv`, as the store takes them.
 * @throws ConfigError for half a client certificate, text that is no PEM, or certificates without TLS in the URL
 */
export function databaseAccess(values: EnvValues<typeof postgresEnv>): DatabaseAccess {
  const { databaseUrl: url, databaseCa: ca, databaseClientCert: cert, databaseClientKey: key } = values;
  const verifies = /[?&]sslmode=(verify-full|verify-ca|require)(&|$)/.test(url);
  const tls = certificates('DATABASE', { ca, cert, key }, verifies ? undefined : 'sslmode=verify-full in DATABASE_URL');
  return { url, ...(tls && { tls }) };
}

/** The same with the limits of a service's pool. @throws ConfigError as `databaseAccess` */
export function databaseOptions(values: EnvValues<typeof postgresEnv>) {
  const { databasePool: poolMax, databasePrepared: prepared, databaseWaitMs: waitMs } = values;
  return { ...databaseAccess(values), poolMax, prepared, waitMs };
}

/** What a service's connectors take of the typed values of `providersEnv`. */
export function connectorOptions(values: EnvValues<typeof providersEnv>) {
  const { providersDir, egressAllow, callTimeoutMs } = values;
  return { urls: providerUrls(values), providersDir, egressAllow, callTimeoutMs };
}

/**
 * The Redis settings among the typed values of `redisEnv` or `optionalRedisEnv`, as the hints take them.
 * @returns undefined where no Redis is named
 * @throws ConfigError for half a client certificate, text that is no PEM, or certificates without `rediss://`
 */
export function redisAccess(values: { readonly redisUrl: string } & RedisCertificates): RedisAccess;
export function redisAccess(values: EnvValues<typeof optionalRedisEnv>): RedisAccess | undefined;
export function redisAccess(values: EnvValues<typeof optionalRedisEnv>): RedisAccess | undefined {
  const { redisUrl: url, redisCa: ca, redisClientCert: cert, redisClientKey: key } = values;
  const isTls = url?.startsWith('rediss:') === true;
  const tls = certificates('REDIS', { ca, cert, key }, isTls ? undefined : 'rediss:// in REDIS_URL');
  return url === undefined ? undefined : { url, ...(tls && { tls }) };
}

type RedisCertificates = Omit<EnvValues<typeof optionalRedisEnv>, 'redisUrl'>;

/**
 * The broker settings among the typed values of `kafkaEnv`, as messaging takes them.
 * @throws ConfigError when one setting needs another that is missing: half a login, half a client certificate, certificates without TLS
 */
export function kafkaAccess(values: EnvValues<typeof kafkaEnv>): KafkaAccess {
  const { kafkaBrokers: brokers, kafkaTopicPrefix: prefix, kafkaTls: isTls } = values;
  const { kafkaCa: ca, kafkaClientCert: cert, kafkaClientKey: key } = values;
  const problems = saslProblems(values);
  const tls = certificates('KAFKA', { ca, cert, key }, isTls ? undefined : 'KAFKA_TLS=on', problems);
  const { kafkaSaslMechanism: mechanism, kafkaSaslUsername: username, kafkaSaslPassword: password } = values;
  const sasl =
    mechanism === undefined || username === undefined || password === undefined
      ? undefined
      : { mechanism: mechanism as NonNullable<KafkaAccess['sasl']>['mechanism'], username, password };
  return { brokers, ...(prefix !== undefined && { prefix }), ...(isTls && { tls: tls ?? {} }), ...(sasl && { sasl }) };
}

interface GivenCertificates {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

const pemForms = {
  CA: /-----BEGIN CERTIFICATE-----[^]+-----END CERTIFICATE-----/,
  CLIENT_CERT: /-----BEGIN CERTIFICATE-----[^]+-----END CERTIFICATE-----/,
  CLIENT_KEY: /-----BEGIN ([A-Z]+ )?PRIVATE KEY-----[^]+-----END ([A-Z]+ )?PRIVATE KEY-----/,
};

/**
 * The certificates of one dependency, undefined without any.
 * @param missing what must be set before certificates have a use; undefined where it is
 * @param others problems to name in the same error
 */
function certificates(
  prefix: string,
  { ca, cert, key }: GivenCertificates,
  missing: string | undefined,
  others: readonly ConfigProblem[] = [],
): TlsCertificates | undefined {
  const given = Object.entries({ CA: ca, CLIENT_CERT: cert, CLIENT_KEY: key }).filter(([, pem]) => pem !== undefined);
  const problems = given.flatMap(([part, pem = '']) => {
    const name = `${prefix}_${part}`;
    const isPem = pemForms[part as keyof typeof pemForms].test(pem);
    return [
      ...(isPem ? [] : [{ name, rule: 'must be PEM: the text itself, not the name of a file' }]),
      ...(missing === undefined ? [] : [{ name, rule: `needs ${missing}; without TLS it has no use` }]),
    ];
  });
  const [has, lacks] = cert === undefined ? ['KEY', 'CERT'] : ['CERT', 'KEY'];
  if ((cert === undefined) !== (key === undefined)) {
    problems.push({ name: `${prefix}_CLIENT_${lacks}`, rule: `is required beside ${prefix}_CLIENT_${has}` });
  }
  if (problems.length + others.length > 0) throw new ConfigError([...others, ...problems]);
  if (given.length === 0) return undefined;
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && key !== undefined && { cert, key }) };
}

function saslProblems(values: EnvValues<typeof kafkaEnv>): ConfigProblem[] {
  const parts = {
    KAFKA_SASL_MECHANISM: values.kafkaSaslMechanism,
    KAFKA_SASL_USERNAME: values.kafkaSaslUsername,
    KAFKA_SASL_PASSWORD: values.kafkaSaslPassword,
  };
  const given = Object.keys(parts).filter((name) => parts[name as keyof typeof parts] !== undefined);
  const missing = Object.keys(parts).filter((name) => !given.includes(name));
  if (given.length === 0 || missing.length === 0) return [];
  return missing.map((name) => ({ name, rule: `is required beside ${given.join(' and ')}` }));
}
