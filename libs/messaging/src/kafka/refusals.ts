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

const refusals: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  POLICY_VIOLATION: ['refuses a topic by its create.topic.policy', byHand],
  INVALID_REPLICATION_FACTOR: ['refuses the replication factor of a topic', byHand],
  INVALID_PARTITIONS: ['refuses the number of partitions of a topic', byHand],
  INVALID_CONFIG: ['refuses a setting of a topic', byHand],
  INVALID_TOPIC_EXCEPTION: ['refuses the name of a topic', 'Correct KAFKA_TOPIC_PREFIX: letters, digits, . - and _.'],
  TOPIC_AUTHORIZATION_FAILED: ['does not let the user use a topic', grant],
  GROUP_AUTHORIZATION_FAILED: ['does not let the user read in a group', grant],
  CLUSTER_AUTHORIZATION_FAILED: ['does not let the user make topics', `${grant} ${byHand}`],
  UNKNOWN_TOPIC_OR_PARTITION: [
    'has not the topics, or hides them from the user',
    `npm run migrate makes them; else: ${grant}`,
  ],
  SASL_AUTHENTICATION_FAILED: ['refuses the login', login],
  UNSUPPORTED_SASL_MECHANISM: ['does not know the mechanism of the login', login],
  ILLEGAL_SASL_STATE: ['expects another kind of login', login],
  KAFKA_STORAGE_ERROR: ['cannot use its disk', 'See the log of the brokers.'],
  // Names of the client: the brokers' words are dropped, or there are none.
  KafkaJSGroupCoordinatorNotFound: ['has no coordinator of the group yet, or hides it from the user', grant],
  KafkaJSNotImplemented: ['has compressed messages that are not read', 'Set compression.type=producer on the topics.'],
};

const away: Fault = {
  reason: 'does not answer',
  remedy:
    'Check KAFKA_BROKERS, and that the brokers, and what they advertise as their addresses, are reached from here.',
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
  const known = refusals[name.startsWith('KafkaJSSASL') ? 'SASL_AUTHENTICATION_FAILED' : type || name];
  if (known !== undefined) {
    const of = topic === '' ? '' : ` ${topic} (${requested[topic] ?? ''})`;
    return { reason: `${known[0]}${of}: ${[type, message].filter(Boolean).join(', ')}`, remedy: known[1] };
  }
  const isTls = typeof code === 'string' && !systemCode.test(code);
  if (type === '' && isAway.test(name) && !isTls) {
    return { ...away, reason: typeof code === 'string' ? `${away.reason} (${code})` : away.reason };
  }
  const remedy = 'The reason is in the words of the broker or its client.';
  return { reason: `cannot be used: ${[type, message].filter(Boolean).join(', ')}`, remedy };
}
