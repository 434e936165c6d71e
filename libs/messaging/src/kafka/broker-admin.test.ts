import { KafkaJSNonRetriableError, KafkaJSProtocolError, type Admin, type Kafka } from 'kafkajs';
import { topics } from '../topics';
import { BrokerAdmin } from './broker-admin';
import { faultOf } from './refusals';

const unknownTopic = new KafkaJSProtocolError(
  Object.assign(new Error('This server does not host this topic-partition'), {
    type: 'UNKNOWN_TOPIC_OR_PARTITION',
    code: 3,
    retriable: true,
  }),
);

/** Its types know one parameter, its retries give two. */
function wrapping(cause: Error): Error {
  return Object.assign(new KafkaJSNonRetriableError(cause), { cause });
}

/** A broker that has made a topic and answers `said` in turn when its offsets are asked for, then serves it. */
function brokerThatAnswers(...said: Error[]): BrokerAdmin {
  const admin: Partial<Admin> = {
    connect: async () => undefined,
    disconnect: async () => undefined,
    describeCluster: async () => ({
      brokers: [{ nodeId: 1, host: 'broker', port: 9092 }],
      controller: 1,
      clusterId: 'one',
    }),
    listTopics: async () => [],
    createTopics: async () => true,
    fetchTopicOffsets: async () => {
      const next = said.shift();
      if (next !== undefined) throw next;
      return [];
    },
  };
  return new BrokerAdmin(() => ({ admin: () => admin as Admin }) as Kafka);
}

it.each([
  ['as the broker said it', unknownTopic],
  ['as kafkajs wraps it', wrapping(unknownTopic)],
])('waits for a topic that is made and not served yet, %s', async (_, said) => {
  await expect(brokerThatAnswers(said, said).createTopics(Object.values(topics), '')).resolves.toBeUndefined();
});

it('does not wait out what is no matter of time', async () => {
  const refused = wrapping(new Error('Not authorized'));
  await expect(brokerThatAnswers(refused).createTopics(Object.values(topics), '')).rejects.toMatchObject({
    code: 'service.unavailable',
  });
});

it('ends the connection of a request that fails when no other waits for its reply on it', async () => {
  const calls: string[] = [];
  const release = Promise.withResolvers<void>();
  const kafkaAdmin: Partial<Admin> = {
    connect: async () => void calls.push('connect'),
    disconnect: async () => void calls.push('disconnect'),
    describeCluster: async () => {
      await release.promise;
      return { brokers: [], controller: 1, clusterId: 'one' };
    },
    fetchOffsets: async () => {
      throw unknownTopic;
    },
    fetchTopicOffsets: async () => [],
  };
  const admin = new BrokerAdmin(() => ({ admin: () => kafkaAdmin as Admin }) as Kafka);
  const waiting = admin.ping();
  await expect(admin.lags('missing', 'group')).rejects.toMatchObject({ code: 'service.unavailable' });
  expect(calls).toEqual(['connect']);
  release.resolve();
  await waiting;
  await admin.ping();
  expect(calls.toSorted()).toEqual(['connect', 'connect', 'disconnect']);
});

const protocol = (type: string, message = 'no') =>
  new KafkaJSProtocolError(Object.assign(new Error(message), { type, code: 1, retriable: false }));
const connection = (code?: string) =>
  Object.assign(new Error('Connection error'), { name: 'KafkaJSConnectionError', ...(code && { code }) });

describe('a sentence says no more than was proven', () => {
  it.each<[string, Error, RegExp, RegExp]>([
    ['a policy', protocol('POLICY_VIOLATION'), /policy/, /by hand/],
    ['a number of copies', protocol('INVALID_REPLICATION_FACTOR'), /replication factor/, /by hand/],
    ['a setting', wrapping(protocol('INVALID_CONFIG')), /setting/, /by hand/],
    ['no right to the topic', protocol('TOPIC_AUTHORIZATION_FAILED'), /let the user/, /Grant/],
    ['no right to make one', protocol('CLUSTER_AUTHORIZATION_FAILED'), /make topics/, /Grant/],
    ['no topic', wrapping(wrapping(unknownTopic)), /has not the topics/, /npm run migrate/],
    ['a login', Object.assign(new Error('no'), { name: 'KafkaJSSASLAuthenticationError' }), /login/, /KAFKA_SASL/],
    ['nobody there', wrapping(connection('ECONNREFUSED')), /does not answer \(ECONNREFUSED\)/, /KAFKA_BROKERS/],
    [
      'silence',
      Object.assign(new Error('x'), { name: 'KafkaJSRequestTimeoutError' }),
      /^does not answer$/,
      /KAFKA_BROKERS/,
    ],
    // Somebody answered: neither the address nor the network is accused.
    ['a certificate', connection('DEPTH_ZERO_SELF_SIGNED_CERT'), /^cannot be used/, /words/],
    ['a code of a newer broker', protocol('SOMETHING_NEW', 'who knows'), /SOMETHING_NEW, who knows/, /words/],
    ['a fault of ours', new TypeError('x is not a function'), /^cannot be used: x is not/, /words/],
  ])('%s', (_, error, reason, remedy) => {
    const fault = faultOf(error);
    expect(fault.reason).toMatch(reason);
    expect(fault.remedy).toMatch(remedy);
  });

  it.each([protocol('POLICY_VIOLATION'), connection('CERT_HAS_EXPIRED'), new Error('x')])(
    'accuses nobody of silence who answered: %s',
    (error) => {
      const { reason, remedy } = faultOf(error);
      expect(`${reason} ${remedy}`).not.toMatch(/does not answer|Check KAFKA_BROKERS/);
    },
  );
});
