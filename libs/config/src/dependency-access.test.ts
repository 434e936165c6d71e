import { ConfigError } from './config-error';
import { defineEnv } from './define-env';
import { databaseAccess, kafkaAccess, redisAccess } from './dependency-access';
import { kafkaEnv, optionalRedisEnv, postgresEnv, redisEnv } from './dependency-env';

type Env = Record<string, string>;
const database = (env: Env) => databaseAccess(defineEnv(postgresEnv).read(env));
const redis = (env: Env) => redisAccess(defineEnv(redisEnv).read(env));
const kafka = (env: Env) => kafkaAccess(defineEnv(kafkaEnv).read({ KAFKA_BROKERS: 'a:9092,b:9092', ...env }));

const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
const key = '-----BEGIN PRIVATE KEY-----\ncanary-password\n-----END PRIVATE KEY-----';
const login = {
  KAFKA_SASL_MECHANISM: 'scram-sha-512',
  KAFKA_SASL_USERNAME: 'sluice',
  KAFKA_SASL_PASSWORD: 'canary-password',
};
const open = { DATABASE_URL: 'postgres://db/x' };
const verified = { DATABASE_URL: 'postgres://a:b@db/x?sslmode=verify-full' };
const url = verified.DATABASE_URL;
const client = { DATABASE_CLIENT_CERT: pem, DATABASE_CLIENT_KEY: key };
const secured = { REDIS_URL: 'rediss://cache:6379' };
const brokers = { brokers: ['a:9092', 'b:9092'] };
const sasl = { mechanism: 'scram-sha-512', username: 'sluice', password: 'canary-password' };

it.each<[string, (env: Env) => unknown, Env, object]>([
  ['a database alone', database, open, { url: open.DATABASE_URL }],
  ['a database of its own authority', database, { ...verified, DATABASE_CA: pem }, { url, tls: { ca: pem } }],
  ['a database that asks for a certificate', database, { ...verified, ...client }, { url, tls: { cert: pem, key } }],
  ['a Redis alone', redis, { REDIS_URL: 'redis://cache' }, { url: 'redis://cache' }],
  ['a Redis of its own authority', redis, { ...secured, REDIS_CA: pem }, { url: secured.REDIS_URL, tls: { ca: pem } }],
  ['brokers alone', kafka, {}, brokers],
  ['brokers that are shared', kafka, { KAFKA_TOPIC_PREFIX: 'two.' }, { ...brokers, prefix: 'two.' }],
  ['TLS by public authorities', kafka, { KAFKA_TLS: 'on' }, { ...brokers, tls: {} }],
  ['TLS by its own', kafka, { KAFKA_TLS: 'on', KAFKA_CA: pem }, { ...brokers, tls: { ca: pem } }],
  [
    'a client certificate',
    kafka,
    { KAFKA_TLS: 'on', KAFKA_CLIENT_CERT: pem, KAFKA_CLIENT_KEY: key },
    { ...brokers, tls: { cert: pem, key } },
  ],
  ['a login', kafka, login, { ...brokers, sasl }],
])('%s', (_name, access, env, expected) => {
  expect(access(env)).toEqual(expected);
});

it('no Redis at all', () => {
  expect(redisAccess(defineEnv(optionalRedisEnv).read({}))).toBeUndefined();
});

it.each<[string, (env: Env) => unknown, Env, RegExp]>([
  ['a certificate without TLS', kafka, { KAFKA_CA: pem }, /KAFKA_CA needs KAFKA_TLS=on/],
  ['one for an open database', database, { ...open, DATABASE_CA: pem }, /CA needs sslmode=verify-full in DATABASE_URL/],
  [
    'one that would not be looked at',
    database,
    { DATABASE_URL: 'postgres://db/x?sslmode=no-verify', DATABASE_CA: pem },
    /DATABASE_CA needs sslmode=verify-full/,
  ],
  ['one for an open Redis', redis, { REDIS_URL: 'redis://cache', REDIS_CA: pem }, /CA needs rediss:\/\/ in REDIS_URL/],
  ['the name of a file', kafka, { KAFKA_TLS: 'on', KAFKA_CA: '/etc/ca.pem' }, /KAFKA_CA must be PEM/],
  ['half a certificate', kafka, { KAFKA_TLS: 'on', KAFKA_CLIENT_KEY: key }, /CERT is required beside KAFKA_CLIENT_KEY/],
  [
    'the other half',
    database,
    { ...verified, DATABASE_CLIENT_CERT: pem },
    /KEY is required beside DATABASE_CLIENT_CERT/,
  ],
  [
    'half a login',
    kafka,
    { KAFKA_SASL_PASSWORD: 'canary-password' },
    /KAFKA_SASL_MECHANISM is required beside KAFKA_SASL_PASSWORD[^]*KAFKA_SASL_USERNAME is required/,
  ],
  [
    'half a login and half a certificate at once',
    kafka,
    { KAFKA_TLS: 'on', KAFKA_SASL_USERNAME: 'a', KAFKA_CLIENT_CERT: pem },
    /KAFKA_SASL_MECHANISM is required[^]*KAFKA_CLIENT_KEY is required/,
  ],
  ['another mechanism', kafka, { ...login, KAFKA_SASL_MECHANISM: 'gssapi' }, /KAFKA_SASL_MECHANISM=gssapi/],
])('refuses %s, and shows no secret', (_name, access, env, expected) => {
  const refusal = refusalOf(() => access(env));
  expect(refusal).toMatch(expected);
  expect(refusal).not.toContain('canary-password');
});

function refusalOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.detail;
  }
  return 'accepted';
}
