import { KafkaJSNonRetriableError, KafkaJSProtocolError, type Admin, type Kafka } from 'kafkajs';
import { topics } from '../topics';
import { BrokerAdmin } from './broker-admin';

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
