import { ConfigError } from './config-error';
import { defineEnv } from './define-env';
import { kafkaEnv } from './fragments';
import { kafkaAccess } from './kafka-access';

const table = defineEnv(kafkaEnv);
const access = (env: Record<string, string>) => kafkaAccess(table.read({ KAFKA_BROKERS: 'a:9092,b:9092', ...env }));
const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
const login = {
  KAFKA_SASL_MECHANISM: 'scram-sha-512',
  KAFKA_SASL_USERNAME: 'sluice',
  KAFKA_SASL_PASSWORD: 'canary-password',
};

it.each<[string, Record<string, string>, object]>([
  ['brokers alone', {}, {}],
  ['TLS by public authorities', { KAFKA_TLS: 'on' }, { tls: {} }],
  ['TLS by its own', { KAFKA_TLS: 'on', KAFKA_CA: pem }, { tls: { ca: pem } }],
  ['a login', login, { sasl: { mechanism: 'scram-sha-512', username: 'sluice', password: 'canary-password' } }],
])('%s', (_name, env, expected) => {
  expect(access(env)).toEqual({ brokers: ['a:9092', 'b:9092'], ...expected });
});

it.each<[string, Record<string, string>, RegExp]>([
  ['a certificate without TLS', { KAFKA_CA: pem }, /KAFKA_CA needs KAFKA_TLS=on/],
  ['the name of a file', { KAFKA_TLS: 'on', KAFKA_CA: '/etc/ca.pem' }, /KAFKA_CA must be PEM/],
  [
    'half a login',
    { KAFKA_SASL_PASSWORD: 'canary-password' },
    /KAFKA_SASL_MECHANISM is required beside KAFKA_SASL_PASSWORD[^]*KAFKA_SASL_USERNAME is required/,
  ],
  ['another mechanism', { ...login, KAFKA_SASL_MECHANISM: 'gssapi' }, /KAFKA_SASL_MECHANISM=gssapi/],
])('refuses %s, and shows no password', (_name, env, expected) => {
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
