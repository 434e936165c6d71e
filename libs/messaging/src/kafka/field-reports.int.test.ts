import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { env } from 'node:process';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import type { WriteAnnouncement } from '@sluice/types';
import { CompressionTypes, ConfigResourceTypes, type ISocketFactory, Partitioners } from 'kafkajs';
import { announce, barrier, consume, consumeReady, eventually, metric, write } from '../../test/support';
import { topics } from '../topics';
import { kafkaClients } from './kafka-client';
import { createKafkaMessaging, type KafkaMessagingOptions } from './kafka-messaging';

// What failed for other users of Kafka, each as an input. The rows of docs/providers/field-reports.md name these tests and their sources. What a broker alone
// cannot be brought to answer is written into its replies on their way.

const brokers = (env['KAFKA_BROKERS'] ?? '').split(',');
const kafka = kafkaClients({ brokers, clientId: 'field-reports', logger: silentLogger })();
const admin = kafka.admin();
const prefix = `test-${randomUUID()}.`;
const ready = `${prefix}${topics.ready.name}`;
const closers: (() => Promise<void>)[] = [];

interface Line {
  readonly event: string;
  readonly reason?: string;
  readonly remedy?: string;
}

function open(more: Partial<KafkaMessagingOptions> = {}) {
  const warned: Line[] = [];
  const logger = { ...silentLogger, warn: (fields: object, event: string) => void warned.push({ ...fields, event }) };
  const metrics = createMetrics('messaging');
  const messaging = createKafkaMessaging({ brokers, clientId: 'test', prefix, logger, metrics, ...more });
  closers.push(() => messaging.close());
  return { messaging, warned, metrics };
}

const setTopic = (name: string, value: string) =>
  admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: ready, configEntries: [{ name, value }] }],
  });

/** As retention does, of all that is there. */
async function removeRecords(): Promise<void> {
  const ends = await admin.fetchTopicOffsets(ready);
  const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
  await admin.deleteTopicRecords({ topic: ready, partitions });
}

async function sendRaw(value: string | null, compression = CompressionTypes.None): Promise<void> {
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({ topic: ready, compression, messages: [{ key: 'raw', value }] });
  await producer.disconnect();
}

/** A member of a group of its own, which reads from the beginning: what a test announces has a name of its own. */
async function joined(messaging: ReturnType<typeof open>['messaging'], group = randomUUID()) {
  const received = await consumeReady(messaging, group);
  await eventually(() => messaging.healthy());
  return received;
}
const has = (received: readonly WriteAnnouncement[], id: string) =>
  eventually(() => received.some(({ installationId }) => installationId === id));

beforeAll(async () => {
  await admin.connect();
  await open().messaging.createTopics();
});
afterEach(async () => void (await Promise.all(closers.splice(0).map((close) => close()))));
afterAll(async () => {
  await admin.deleteTopics({ topics: (await admin.listTopics()).filter((name) => name.startsWith(prefix)) });
  await admin.disconnect();
});

/** Keys of requests. Source: https://kafka.apache.org/protocol#protocol_api_keys */
const keys = { produce: 0, findCoordinator: 10, heartbeat: 12, initProducerId: 22 } as const;
/** Codes of errors. Source: https://kafka.apache.org/protocol#protocol_error_codes */
const codes = { notLeader: 6, noCoordinator: 15, notEnoughReplicas: 19, rebalancing: 27 } as const;
const [noTopicRight, noGroupRight, timestamp] = [29, 30, 32];

/** Writes an error into a reply. Those of a coordinator begin with the time to wait; those to a produced message name the topic and the partition first. */
function refuse(key: number, code: number) {
  return (frame: Buffer) => void frame.writeInt16BE(code, key === keys.produce ? 22 + frame.readInt16BE(12) : 12);
}

/** A network that changes the next replies to requests of a key. */
function alteringNetwork(isUnreached: (host: string) => boolean = () => false) {
  const altering = new Map<number, { readonly alter: (frame: Buffer) => void; times: number }>();
  const sent: number[] = [];
  const socketFactory: ISocketFactory = ({ host, port, onConnect }) => {
    const socket = connect({ host, port: isUnreached(host) ? 1 : port }, onConnect);
    const keyOf = new Map<number, number>();
    const writeFrame = socket.write.bind(socket);
    socket.write = (frame: Buffer) => {
      const key = frame.readInt16BE(4);
      sent.push(key);
      keyOf.set(frame.readInt32BE(8), key);
      return writeFrame(frame);
    };
    const listen = socket.on.bind(socket);
    let pending = Buffer.alloc(0);
    socket.on = ((event: string, listener: (...given: unknown[]) => void) => {
      if (event !== 'data') return listen(event, listener);
      return listen('data', (chunk: Buffer) => {
        pending = Buffer.concat([pending, chunk]);
        while (pending.length >= 4 && pending.length >= 4 + pending.readInt32BE(0)) {
          const frame = Buffer.from(pending.subarray(0, 4 + pending.readInt32BE(0)));
          pending = pending.subarray(frame.length);
          const rule = altering.get(keyOf.get(frame.readInt32BE(4)) ?? -1);
          if (rule !== undefined && rule.times > 0) {
            rule.times -= 1;
            rule.alter(frame);
          }
          listener(frame);
        }
      });
    }) as typeof socket.on;
    return socket;
  };
  const answer = (key: number, alter: (frame: Buffer) => void, times: number) =>
    void altering.set(key, { alter, times });
  return {
    socketFactory,
    sent,
    refuse: (key: number, code: number, times: number) => answer(key, refuse(key, code), times),
    answer,
    isOver: (key: number) => altering.get(key)?.times === 0,
  };
}

test('Q1: one message that is too large costs those of its request, and none after it', async () => {
  await setTopic('max.message.bytes', '5000');
  const { messaging, metrics } = open();
  const received = await joined(messaging);
  // The broker takes a moment to know it.
  await eventually(async () => {
    for (let index = 0; index < 100; index += 1) announce(messaging, write('large', index));
    await messaging.announcer(topics.ready).flush();
    return (await metric(metrics, 'sluice_announcements_dropped_total', 'send-failed')) > 0;
  });
  announce(messaging, write('small', 0));
  await has(received, 'small');
  await setTopic('max.message.bytes', '1000000');
});

test.each([
  ['Q2: a topic that the user may not write', noTopicRight, /does not let the user use a topic/, /Grant/],
  ['Q3: too few copies', codes.notEnoughReplicas, /NOT_ENOUGH_REPLICAS/, /words of the broker/],
  ['Q4: a clock that the broker does not take', timestamp, /INVALID_TIMESTAMP/, /words of the broker/],
])(
  '%s: degraded with the reason, dropped and counted, and sent again once it takes them',
  async (_, code, reason, remedy) => {
    const network = alteringNetwork();
    const { messaging, metrics } = open({ socketFactory: network.socketFactory });
    const received = await joined(messaging);
    announce(messaging, write(`first-${code}`, 0));
    await has(received, `first-${code}`);
    network.refuse(keys.produce, code, Infinity);
    announce(messaging, write('lost', 0));
    await eventually(async () => (await metric(metrics, 'sluice_announcements_dropped_total')) === 1);
    let fault = await messaging.health();
    await eventually(async () => reason.test((fault = await messaging.health())?.reason ?? ''));
    expect(fault?.remedy).toMatch(remedy);
    network.refuse(keys.produce, code, 0);
    await eventually(async () => (await messaging.health()) === undefined);
    announce(messaging, write(`later-${code}`, 0));
    await has(received, `later-${code}`);
  },
);

test('Q5: a partition that moved to another leader loses nothing', async () => {
  const network = alteringNetwork();
  const { messaging, metrics } = open({ socketFactory: network.socketFactory });
  const received = await joined(messaging);
  network.refuse(keys.produce, codes.notLeader, 1);
  announce(messaging, write('moved', 0));
  await has(received, 'moved');
  expect(network.isOver(keys.produce)).toBe(true);
  expect(await metric(metrics, 'sluice_announcements_dropped_total')).toBe(0);
});

test('Q6: a coordinator that is not there for a while is found without a restart', async () => {
  const network = alteringNetwork();
  network.refuse(keys.findCoordinator, codes.noCoordinator, 8);
  const { messaging } = open({ socketFactory: network.socketFactory });
  const received = await joined(messaging);
  expect(network.isOver(keys.findCoordinator)).toBe(true);
  announce(messaging, write('found', 0));
  await has(received, 'found');
});

test('Q7: a group that the user may not read is one warning with the right, and is read once it may', async () => {
  const network = alteringNetwork();
  network.refuse(keys.findCoordinator, noGroupRight, 2);
  const { messaging, warned } = open({ socketFactory: network.socketFactory });
  const received = await joined(messaging);
  const ended = warned.filter(({ event }) => event === 'consumer.session-ended');
  expect(ended).toEqual([expect.objectContaining({ remedy: expect.stringContaining('Grant') })]);
  announce(messaging, write('granted', 0));
  await has(received, 'granted');
});

test('Q8: a member that was put out while its handler works gives way, and what it did not finish is done', async () => {
  const network = alteringNetwork();
  const { messaging } = open({ socketFactory: network.socketFactory });
  const [first, handled] = [barrier(), new Map<number, number>()];
  const handle = async (writes: readonly WriteAnnouncement[]) => {
    if (handled.size === 0) await first.pass();
    for (const { index = -1 } of writes) handled.set(index, (handled.get(index) ?? 0) + 1);
  };
  await messaging.consume({ ...consume(handle), group: randomUUID() });
  await eventually(() => messaging.healthy());
  for (let index = 0; index < 5; index += 1) announce(messaging, write('long', index));
  await eventually(() => first.waiting > 0);
  network.refuse(keys.heartbeat, codes.rebalancing, 1);
  await eventually(() => network.isOver(keys.heartbeat));
  first.open();
  await eventually(() => handled.size >= 5);
});

test('Q9: offsets that retention has removed are passed over', async () => {
  const group = randomUUID();
  const before = open();
  const received = await joined(before.messaging, group);
  announce(before.messaging, write('gone', 0));
  await has(received, 'gone');
  await before.messaging.close();
  const { messaging } = open();
  for (let index = 0; index < 3; index += 1) announce(messaging, write('gone', index));
  await eventually(() => messaging.healthy());
  await messaging.announcer(topics.ready).flush();
  await removeRecords();
  const later = await consumeReady(messaging, group);
  announce(messaging, write('gone', 7));
  await eventually(() => later.some(({ index }) => index === 7));
  expect(later.filter(({ index }) => index !== 7)).toEqual([]);
});

test('Q10: a value that is nothing, and one in gzip, do not stop a partition', async () => {
  const { messaging } = open();
  const received = await joined(messaging);
  await sendRaw(null);
  await sendRaw(JSON.stringify({ writes: [write('gzip', 0)] }), CompressionTypes.GZIP);
  await has(received, 'gzip');
  expect(received).toContainEqual(write('gzip', 0));
});

test('Q11: a topic that compresses in a form that is not read is said with its remedy', async () => {
  await setTopic('compression.type', 'lz4');
  const { messaging, warned } = open();
  const received = await consumeReady(messaging, randomUUID());
  await eventually(() => {
    announce(messaging, write('lz4', 0));
    return warned.some(({ reason }) => reason?.startsWith('has compressed messages') === true);
  }, 200);
  expect(warned.find(({ event }) => event === 'consumer.session-ended')?.remedy).toContain('compression.type=producer');
  await setTopic('compression.type', 'producer');
  await eventually(async () => {
    await removeRecords();
    announce(messaging, write('plain', 0));
    return received.some(({ installationId }) => installationId === 'plain');
  }, 500);
});

test('Q12: an advertised address that leads nowhere does not accuse KAFKA_BROKERS alone', async () => {
  const [port = ''] = (brokers[0] ?? '').split(':').slice(-1);
  const network = alteringNetwork((host) => host !== 'localhost');
  const { messaging } = open({ brokers: [`localhost:${port}`], socketFactory: network.socketFactory });
  announce(messaging, write('nowhere', 0));
  let fault = await messaging.health();
  await eventually(async () => (fault = await messaging.health())?.reason.startsWith('does not answer') === true);
  expect(fault?.remedy).toMatch(/advertise as their addresses/);
});

test('Q13: a quota that holds the client back delays, and loses nothing', async () => {
  const network = alteringNetwork();
  const { messaging, metrics } = open({ socketFactory: network.socketFactory });
  const received = await joined(messaging);
  network.answer(keys.produce, (frame) => void frame.writeInt32BE(400, frame.length - 4), 1);
  announce(messaging, write('before', 0));
  await has(received, 'before');
  announce(messaging, write('held', 0));
  await has(received, 'held');
  expect(network.isOver(keys.produce)).toBe(true);
  expect(await metric(metrics, 'sluice_announcements_dropped_total')).toBe(0);
});

test('Q14: no right is asked for that an idempotent producer needs', async () => {
  const network = alteringNetwork();
  const { messaging } = open({ socketFactory: network.socketFactory });
  announce(messaging, write('plain', 1));
  await eventually(() => network.sent.includes(keys.produce));
  expect(network.sent).not.toContain(keys.initProducerId);
});

test('Q15: a topic that was deleted and made again is read from its beginning', async () => {
  const { messaging } = open();
  const received = await joined(messaging);
  announce(messaging, write('first', 0));
  await has(received, 'first');
  await admin.deleteTopics({ topics: [ready] });
  await eventually(async () => (await messaging.health()) !== undefined);
  await eventually(async () =>
    messaging.createTopics().then(
      () => true,
      () => false,
    ),
  );
  await eventually(async () => {
    announce(messaging, write('again', 0));
    await messaging.announcer(topics.ready).flush();
    return received.some(({ installationId }) => installationId === 'again');
  });
});
