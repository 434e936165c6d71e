import { randomUUID } from 'node:crypto';
import { env } from 'node:process';
import { DependencyError } from '@sluice/errors';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { ConfigResourceTypes, Partitioners } from 'kafkajs';
import { describeMessaging } from '../../test/conformance';
import { announce, consumeReady, eventually, metric, switchableNetwork, write } from '../../test/support';
import { partitionKey, topics } from '../topics';
import { BrokerAdmin } from './broker-admin';
import { kafkaClients } from './kafka-client';
import { createKafkaMessaging, type KafkaMessagingOptions } from './kafka-messaging';

const brokers = (env['KAFKA_BROKERS'] ?? '').split(',');
const kafka = kafkaClients({ brokers, clientId: 'messaging-test', logger: silentLogger })();
const admin = kafka.admin();
const prefixes: string[] = [];

/** Topics and groups of one test. */
function newPrefix(): string {
  const prefix = `test-${randomUUID()}.`;
  prefixes.push(prefix);
  return prefix;
}

/** Sends as a stranger would. @returns the partition it went to */
async function sendRaw(topic: string, key: string, value: string): Promise<number | undefined> {
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  const [sent] = await producer.send({ topic, messages: [{ key, value }] });
  await producer.disconnect();
  return sent?.partition;
}

async function deleteTopics(): Promise<void> {
  const existing = await admin.listTopics();
  const ours = existing.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
  if (ours.length > 0) await admin.deleteTopics({ topics: ours });
  prefixes.length = 0;
}

beforeAll(async () => {
  await admin.connect();
});

afterAll(async () => {
  await deleteTopics();
  await admin.disconnect();
});

describeMessaging('Kafka', async () => {
  const prefix = newPrefix();
  return {
    open: (options) => createKafkaMessaging({ ...options, brokers, clientId: 'conformance', prefix }),
    putRaw: async (key, value) => {
      await sendRaw(`${prefix}${topics.ready.name}`, key, value);
    },
    dispose: deleteTopics,
  };
});

describe('Kafka: a broker that is not always there', () => {
  const metrics = createMetrics('messaging');
  const closers: (() => Promise<void>)[] = [];
  let prefix: string;

  function open(more: Partial<KafkaMessagingOptions> = {}) {
    const messaging = createKafkaMessaging({
      brokers,
      clientId: 'test',
      prefix,
      logger: silentLogger,
      metrics,
      ...more,
    });
    closers.push(() => messaging.close());
    return messaging;
  }

  beforeEach(async () => {
    prefix = newPrefix();
    await open().createTopics();
  });

  afterEach(async () => {
    await Promise.all(closers.splice(0).map((close) => close()));
    await deleteTopics();
  });

  it('starts without the broker and works once it is there', async () => {
    const network = switchableNetwork();
    network.cut();
    const messaging = open({ socketFactory: network.socketFactory });
    const received = await consumeReady(messaging);
    announce(messaging, write('early', 0));
    expect(await messaging.healthy()).toBe(false);
    network.mend();
    await eventually(() => messaging.healthy());
    announce(messaging, write('later', 1));
    await eventually(() => received.some(({ index }) => index === 1));
  });

  it('drops and counts what is announced while the broker is away, without holding the caller up', async () => {
    const own = createMetrics('dropping');
    const network = switchableNetwork();
    network.cut();
    const messaging = open({ socketFactory: network.socketFactory, metrics: own, bufferMax: 1_000 });
    for (let index = 0; index < 3_000; index += 1) announce(messaging, write('a', index));
    expect(await metric(own, 'sluice_announcements_dropped_total', 'buffer-full')).toBe(2_000);
    await messaging.announcer(topics.ready).flush();
    expect(await metric(own, 'sluice_announcements_dropped_total', 'broker-away')).toBe(1_000);
  });

  it('recovers by itself when every connection is cut', async () => {
    const network = switchableNetwork();
    const messaging = open({ socketFactory: network.socketFactory });
    const received = await consumeReady(messaging);
    await eventually(() => messaging.healthy());
    announce(messaging, write('before', 0));
    await eventually(() => received.length === 1);
    network.cut();
    announce(messaging, write('during', 1));
    await eventually(async () => !(await messaging.healthy()));
    network.mend();
    await eventually(() => messaging.healthy());
    announce(messaging, write('after', 2));
    await eventually(() => received.some(({ index }) => index === 2));
    expect(received.filter(({ index }) => index === 0)).toHaveLength(1);
  });

  it('takes over from a member that vanished without leaving', async () => {
    const network = switchableNetwork();
    const vanishing = open({ socketFactory: network.socketFactory });
    const lost = await consumeReady(vanishing);
    const received = await consumeReady(open());
    await eventually(() => vanishing.healthy());
    network.cut();
    const announcer = open();
    for (let key = 0; key < 24; key += 1) announce(announcer, write(`key-${key}`, key));
    await eventually(() => new Set([...received, ...lost].map(({ index }) => index)).size === 24);
  });

  it('sends everything that is due in one produce request, whatever its key and topic', async () => {
    const network = switchableNetwork();
    const messaging = open({ socketFactory: network.socketFactory });
    announce(messaging, write('first', 0));
    await eventually(() => messaging.healthy());
    await messaging.announcer(topics.ready).flush();
    const before = network.produceRequests;
    for (let index = 0; index < 100; index += 1) {
      announce(messaging, write(`key-${index}`, index));
      messaging.announcer(topics.autoBatched).announce(`key-${index}`, write(`key-${index}`, index));
    }
    await messaging.announcer(topics.ready).flush();
    expect(network.produceRequests - before).toBe(1);
  });

  it('makes the topics once, with their settings, also when two ask at the same time', async () => {
    prefix = newPrefix();
    await Promise.all([open().createTopics(), open().createTopics()]);
    await open().createTopics();
    const name = `${prefix}${topics.autoBatched.name}`;
    const { topics: described } = await admin.fetchTopicMetadata({ topics: [name] });
    expect(described[0]?.partitions).toHaveLength(topics.autoBatched.partitions);
    const { resources } = await admin.describeConfigs({
      resources: [{ type: ConfigResourceTypes.TOPIC, name, configNames: ['retention.ms'] }],
      includeSynonyms: false,
    });
    expect(resources[0]?.configEntries[0]?.configValue).toBe(String(topics.autoBatched.retentionMs));
  });

  it.each([
    [
      'a setting',
      { retentionMs: -5 },
      /sluice\.test \(1 partitions, .*retention\.ms=-5.*\): INVALID_CONFIG, .*retention\.ms/,
    ],
    ['a number of partitions', { partitions: 0 }, /INVALID_PARTITIONS, .*partitions/],
    ['a name', { name: 'not a name' }, /INVALID_TOPIC_EXCEPTION, .*not a name/],
  ])('says which setting the broker refused, in its words, with a remedy: %s', async (_, wrong, text) => {
    const of = new BrokerAdmin(kafkaClients({ brokers, clientId: 'refused', logger: silentLogger }));
    const topic = { ...topics.ready, name: 'sluice.test', partitions: 1, ...wrong };
    await expect(of.createTopics([topic], prefix)).rejects.toMatchObject({
      detail: expect.stringMatching(text),
      remedy: expect.stringMatching(/by hand|KAFKA_TOPIC_PREFIX/),
    });
    await of.close();
  });

  // It answers, and every check by asking for its brokers is content.
  it('notices a topic that cannot be written', async () => {
    const messaging = open();
    announce(messaging, write('a', 0));
    await eventually(async () => (await messaging.health()) === undefined);
    const name = `${prefix}${topics.ready.name}`;
    const setLimit = (value: string) =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: ConfigResourceTypes.TOPIC, name, configEntries: [{ name: 'max.message.bytes', value }] }],
      });
    await setLimit('1');
    await eventually(
      async () => (await messaging.health())?.reason.startsWith('cannot be used: MESSAGE_TOO_LARGE') === true,
    );
    await setLimit('1000000');
    await eventually(async () => (await messaging.health()) === undefined);
    await admin.deleteTopics({ topics: [name] });
    await eventually(async () => /has not the topics/.test((await messaging.health())?.reason ?? ''));
  });

  it('says why it has no health while nobody answers, and reaches no handler with a check', async () => {
    const network = switchableNetwork();
    const messaging = open({ socketFactory: network.socketFactory });
    const received = await consumeReady(messaging);
    announce(messaging, write('a', 0));
    await eventually(() => received.length === 1);
    await messaging.health();
    announce(messaging, write('a', 1));
    await eventually(() => received.length === 2);
    network.cut();
    await eventually(async () => (await messaging.health())?.reason.startsWith('does not answer') === true);
  });

  it('says that Kafka does not answer when the topics cannot be made', async () => {
    const network = switchableNetwork();
    network.cut();
    const messaging = open({ socketFactory: network.socketFactory });
    await expect(messaging.createTopics()).rejects.toThrow(DependencyError);
  });

  it('drops, counts and goes on while the topics are missing', async () => {
    prefix = newPrefix();
    const own = createMetrics('topicless');
    const messaging = open({ metrics: own });
    const received = await consumeReady(messaging);
    announce(messaging, write('a', 0));
    await eventually(async () => (await metric(own, 'sluice_announcements_dropped_total')) > 0);
    await messaging.createTopics();
    await eventually(() => messaging.healthy());
    announce(messaging, write('a', 1));
    await eventually(() => received.some(({ index }) => index === 1));
  });

  it('gives a message of each key the same partition as any other client of Kafka', async () => {
    const messaging = open();
    const announced = write('a', 0);
    announce(messaging, announced);
    await eventually(() => messaging.healthy());
    await messaging.announcer(topics.ready).flush();
    const topic = `${prefix}${topics.ready.name}`;
    const partition = await sendRaw(topic, partitionKey(announced), '{"writes":[]}');
    const offsets = await admin.fetchTopicOffsets(topic);
    expect(offsets.filter(({ high }) => Number(high) > 0).map((used) => used.partition)).toEqual([partition]);
  });
});
