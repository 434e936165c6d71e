import type { Fault } from '@sluice/telemetry';

/*
 * What a broker, or the way to it, says: a fault is named from its code alone. Codes: https://kafka.apache.org/protocol#protocol_error_codes
 */

/** What is read of the errors of kafkajs, which wraps the broker's several times. */
interface KafkaError {
  readonly name?: string;
  readonly message?: string;
  /** The protocol's name of an error. */
  readonly type?: string;
  readonly code?: unknown;
  readonly topic?: string;
  readonly cause?: unknown;
  /** Of topics that were to be made. */
  readonly errors?: readonly KafkaError[];
}

const byHand =
  'Make the topics by hand with settings that the cluster takes (docs/guides/operate.md lists them), or change what it demands; existing topics are left as they are.';
const grant = 'Grant what docs/guides/operate.md lists to the user of KAFKA_SASL_USERNAME.';
const login = 'Check KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD.';

const refusals: Readonly<Record<string, Fault>> = {
  POLICY_VIOLATION: { reason: 'refuses a topic by its create.topic.policy', remedy: byHand },
  INVALID_REPLICATION_FACTOR: { reason: 'refuses the replication factor of a topic', remedy: byHand },
  INVALID_PARTITIONS: { reason: 'refuses the number of partitions of a topic', remedy: byHand },
  INVALID_CONFIG: { reason: 'refuses a setting of a topic', remedy: byHand },
  INVALID_TOPIC_EXCEPTION: {
    reason: 'refuses the name of a topic',
    remedy: 'Correct KAFKA_TOPIC_PREFIX: letters, digits, dots, dashes and underscores.',
  },
  THROTTLING_QUOTA_EXCEEDED: { reason: 'makes no more topics for now', remedy: 'Run npm run migrate again later.' },
  TOPIC_AUTHORIZATION_FAILED: { reason: 'does not let the user use a topic', remedy: grant },
  GROUP_AUTHORIZATION_FAILED: { reason: 'does not let the user read in a group', remedy: grant },
  CLUSTER_AUTHORIZATION_FAILED: { reason: 'does not let the user make topics', remedy: `${grant} ${byHand}` },
  UNKNOWN_TOPIC_OR_PARTITION: {
    reason: 'has not the topics, or hides them from the user',
    remedy: `npm run migrate makes the topics. Where they are there: ${grant}`,
  },
  SASL_AUTHENTICATION_FAILED: { reason: 'refuses the login', remedy: login },
  UNSUPPORTED_SASL_MECHANISM: { reason: 'does not know the mechanism of the login', remedy: login },
  ILLEGAL_SASL_STATE: { reason: 'expects another kind of login', remedy: login },
  KAFKA_STORAGE_ERROR: { reason: 'cannot use its disk', remedy: 'See the log of the brokers.' },
  NOT_ENOUGH_REPLICAS: {
    reason: 'has too few copies of a partition in step',
    remedy: 'Bring the missing brokers back, or lower min.insync.replicas.',
  },
};

const away: Fault = {
  reason: 'does not answer',
  remedy: 'Check KAFKA_BROKERS, and that the brokers run and are reached from here.',
};
const isAway = /^KafkaJS(Connection|ConnectionClosed|RequestTimeout|BrokerNotFound|Timeout)/;
/** Of the system. Codes of TLS have another form, and say that somebody answered. */
const systemCode = /^E(?!RR_)[A-Z_]+$/;

/** The innermost error that says something: the broker's, else that of the connection. */
function innermost(error: KafkaError): KafkaError {
  const inner = error.errors?.find(({ type }) => type !== 'TOPIC_ALREADY_EXISTS') ?? error.cause;
  return error.type === undefined && typeof inner === 'object' && inner !== null ? innermost(inner) : error;
}

/** The protocol's name of an error. */
export function protocolError(error: unknown): string | undefined {
  return innermost(error as KafkaError).type;
}

/**
 * What keeps Kafka from being used, from what it said.
 * @param requested by topic, what was asked for it: shown beside the refusal of the topic
 */
export function faultOf(error: unknown, requested: Readonly<Record<string, string>> = {}): Fault {
  const { name = '', message = '', type = '', code, topic = '' } = innermost(error as KafkaError);
  const known = refusals[name.startsWith('KafkaJSSASL') ? 'SASL_AUTHENTICATION_FAILED' : type];
  if (known !== undefined) {
    const of = topic === '' ? '' : ` ${topic} (${requested[topic] ?? ''})`;
    return { reason: `${known.reason}${of}: ${[type, message].filter(Boolean).join(', ')}`, remedy: known.remedy };
  }
  const isTls = typeof code === 'string' && !systemCode.test(code);
  if (type === '' && isAway.test(name) && !isTls) {
    return { ...away, reason: typeof code === 'string' ? `${away.reason} (${code})` : away.reason };
  }
  const remedy = 'The reason is in the words of the broker or its client.';
  return { reason: `cannot be used: ${[type, message].filter(Boolean).join(', ')}`, remedy };
}
