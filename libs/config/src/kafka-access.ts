import { ConfigError, type ConfigProblem } from './config-error';
import type { EnvValues } from './env-field';
import type { kafkaEnv } from './fragments';

/** How the brokers are reached. */
export interface KafkaAccess {
  /** `host:port`, at least one. */
  readonly brokers: readonly string[];
  /** Present: TLS. `ca` are PEM certificates to trust in place of the public authorities. */
  readonly tls?: { readonly ca?: string };
  /** Present: the client signs in. The password is secret. */
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  };
}

/**
 * The broker settings among the typed values of `kafkaEnv`, as messaging takes them.
 * @throws ConfigError when one setting needs another that is missing: half a login, certificates without TLS
 */
export function kafkaAccess(values: EnvValues<typeof kafkaEnv>): KafkaAccess {
  const { kafkaBrokers, kafkaTls, kafkaCa } = values;
  const problems = [...saslProblems(values), ...caProblems(kafkaCa, kafkaTls)];
  if (problems.length > 0) throw new ConfigError(problems);
  const { kafkaSaslMechanism: mechanism, kafkaSaslUsername: username, kafkaSaslPassword: password } = values;
  const sasl =
    mechanism === undefined || username === undefined || password === undefined
      ? undefined
      : { mechanism: mechanism as NonNullable<KafkaAccess['sasl']>['mechanism'], username, password };
  return {
    brokers: kafkaBrokers,
    ...(kafkaTls && { tls: kafkaCa === undefined ? {} : { ca: kafkaCa } }),
    ...(sasl && { sasl }),
  };
}

function caProblems(ca: string | undefined, isTls: boolean): ConfigProblem[] {
  if (ca === undefined) return [];
  const isPem = /-----BEGIN CERTIFICATE-----[^]+-----END CERTIFICATE-----/.test(ca);
  return [
    ...(isPem ? [] : [{ name: 'KAFKA_CA', rule: 'must be PEM: the text of certificates, not the name of a file' }]),
    ...(isTls ? [] : [{ name: 'KAFKA_CA', rule: 'needs KAFKA_TLS=on; without TLS it has no use' }]),
  ];
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
