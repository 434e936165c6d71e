import { createMetrics, silentLogger, type Metrics } from '@sluice/telemetry';
import type { WriteAnnouncement } from '@sluice/types';
import type { Messaging, MessagingOptions } from '../src/messaging';
import { announce, barrier, consume, consuming, eventually, metric, write } from './support';
import { partitionKey, topics } from '../src/topics';

/** What an implementation brings to the suite: services that hear each other, on topics nobody else uses. */
export interface MessagingHarness {
  /** One service's messaging. The suite closes it. */
  open(options: MessagingOptions): Messaging;
  /** Puts a value on the topic `ready` as no announcer of ours would. */
  putRaw(key: string, value: string): Promise<void>;
  /** Called after each test, when everything is closed. */
  dispose(): Promise<void>;
}

/** The contract of `Messaging`. `harness` is called once per test. */
export function describeMessaging(name: string, makeHarness: () => Promise<MessagingHarness>): void {
  describe(`${name}: messaging conformance`, () => {
    let harness: MessagingHarness;
    let open: (options?: Partial<MessagingOptions>) => Messaging;
    let metrics: Metrics;
    const opened: Messaging[] = [];

    beforeEach(async () => {
      harness = await makeHarness();
      metrics = createMetrics('conformance');
      open = (options = {}) => {
        const messaging = harness.open({ logger: silentLogger, metrics, ...options });
        opened.push(messaging);
        return messaging;
      };
      await open().createTopics();
    });

    afterEach(async () => {
      await Promise.all(opened.splice(0).map((messaging) => messaging.close()));
      await harness.dispose();
    });

    it('delivers what another service announced, as it was announced', async () => {
      const received = await consuming(open());
      const sent = write('a', 0, { dueAt: '2026-11-20T10:00:00.000Z', isFull: true, recordId: 'r-1' });
      announce(open(), sent);
      await eventually(() => received.length === 1);
      expect(received).toEqual([sent]);
    });

    it('keeps the order of each key', async () => {
      const received = await consuming(open());
      const announcer = open();
      for (let index = 0; index < 600; index += 1) announce(announcer, write(`key-${index % 7}`, index));
      await eventually(() => received.length === 600);
      for (let key = 0; key < 7; key += 1) {
        const ofKey = received.filter(({ installationId }) => installationId === `key-${key}`);
        const indexes = ofKey.map(({ index }) => index ?? -1);
        expect(indexes).toEqual(indexes.toSorted((one, other) => one - other));
      }
    });

    it('puts the writes of a key announced within 25 ms into one message', async () => {
      const calls: WriteAnnouncement[][] = [];
      const consumer = open();
      await consumer.consume(consume(async (writes) => void calls.push(writes)));
      await eventually(() => consumer.healthy());
      const announcer = open();
      for (let index = 0; index < 40; index += 1) announce(announcer, write('shared', index));
      await eventually(() => calls.flat().length === 40);
      expect(calls).toHaveLength(1);
    });

    it('shares a topic between two members of a group, each write going to one of them', async () => {
      const [one, other] = [open(), open()];
      const received = [await consuming(one), await consuming(other)];
      const announcer = open();
      let rounds = 0;
      await eventually(() => {
        for (let key = 0; key < 24; key += 1) announce(announcer, write(`key-${key}`, rounds));
        rounds += 1;
        return received.every(({ length }) => length > 0);
      }, 100);
      await eventually(() => received.flat().length >= rounds * 24);
      // The rebalance of the start may have repeated some; afterwards nothing is delivered twice.
      const before = received.flat().length;
      for (let key = 0; key < 24; key += 1) announce(announcer, write(`key-${key}`, -1));
      await eventually(() => received.flat().length >= before + 24);
      expect(received.flat().filter(({ index }) => index === -1)).toHaveLength(24);
    });

    it('gives every group all writes', async () => {
      const received = [await consuming(open(), 'executor'), await consuming(open(), 'auditor')];
      announce(open(), write('a', 0));
      await eventually(() => received.every(({ length }) => length === 1));
    });

    it('gives a new group what was announced before it existed', async () => {
      const announcer = open();
      announce(announcer, write('early', 0));
      await eventually(() => announcer.healthy());
      await announcer.announcer(topics.ready).flush();
      const received = await consuming(open());
      await eventually(() => received.length === 1);
    });

    it('lets the remaining member take over after a leave', async () => {
      const [leaver, stayer] = [open(), open()];
      const left: WriteAnnouncement[] = [];
      const consumer = await leaver.consume(consume(async (writes) => void left.push(...writes)));
      const received = await consuming(stayer);
      await eventually(() => leaver.healthy());
      await consumer.stop();
      const before = left.length;
      const announcer = open();
      for (let key = 0; key < 24; key += 1) announce(announcer, write(`key-${key}`, key));
      await eventually(() => received.length >= 24);
      expect(left).toHaveLength(before);
    });

    it('finishes the handler in flight before a member leaves, and does not deliver its writes again', async () => {
      const [leaver, stayer] = [open(), open()];
      const gate = barrier();
      let finished = 0;
      const consumer = await leaver.consume(
        consume(async () => {
          await gate.pass();
          finished += 1;
        }),
      );
      await eventually(() => leaver.healthy());
      announce(open(), write('slow', 0));
      await eventually(() => gate.waiting === 1);
      const stopped = consumer.stop().then(() => finished);
      gate.open();
      expect(await stopped).toBe(1);
      const received = await consuming(stayer);
      announce(open(), write('slow', 1));
      await eventually(() => received.some(({ index }) => index === 1));
      expect(received).toHaveLength(1);
    });

    it('finishes the handler in flight before another member gets its partition, and does not deliver its writes again', async () => {
      const keys = Array.from({ length: 24 }, (_, key) => `key-${key}`);
      const delivered: string[] = [];
      const first = open();
      const handle = async (writes: WriteAnnouncement[]) => {
        // Longer than it takes to notice that a member has joined.
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        delivered.push(...writes.map(({ installationId }) => installationId));
      };
      await first.consume(consume(handle));
      await eventually(() => first.healthy());
      for (const key of keys) announce(first, write(key, 0));
      await first.announcer(topics.ready).flush();
      const received = await consuming(open());
      await eventually(() => delivered.length + received.length >= keys.length);
      expect([...delivered, ...received.map(({ installationId }) => installationId)].toSorted()).toEqual(
        keys.toSorted(),
      );
    });

    it('never runs two handlers for one key while members come and go', async () => {
      let running = 0;
      let most = 0;
      const seen = new Set<number>();
      const handle = async (writes: WriteAnnouncement[]) => {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, 20));
        for (const { index } of writes) seen.add(index ?? -1);
        running -= 1;
      };
      const first = await open().consume(consume(handle));
      const announcer = open();
      const round = async (from: number) => {
        for (let index = from; index < from + 20; index += 1) announce(announcer, write('one-key', index));
        await eventually(() => seen.size >= from + 20);
      };
      await round(0);
      await open().consume(consume(handle));
      await round(20);
      await first.stop();
      await round(40);
      expect(most).toBe(1);
    });

    it('delivers again, in order, when the handler fails', async () => {
      const received: number[] = [];
      let failures = 0;
      const handle = async (writes: WriteAnnouncement[]) => {
        failures += 1;
        if (failures <= 2) throw new Error('the database is away');
        received.push(...writes.map(({ index }) => index ?? -1));
      };
      await open().consume(consume(handle));
      const announcer = open();
      announce(announcer, write('a', 0));
      announce(announcer, write('a', 1));
      await eventually(() => received.length === 2);
      expect(received).toEqual([0, 1]);
      expect(await metric(metrics, 'sluice_message_redeliveries_total')).toBe(2);
    });

    it('delivers other keys while one fails', async () => {
      const received = new Set<string>();
      const handle = async ([first]: WriteAnnouncement[]) => {
        if (first?.installationId === 'broken') throw new Error('the database is away');
        received.add(first?.installationId ?? '');
      };
      await open().consume(consume(handle));
      const announcer = open();
      announce(announcer, write('broken', 0));
      // Four keys on twelve partitions: one of them shares no partition with the broken one.
      for (const key of ['a', 'b', 'c', 'd']) announce(announcer, write(key, 0));
      await eventually(() => received.size > 0);
    });

    it('counts an undecodable message and goes on behind it', async () => {
      const received = await consuming(open());
      const next = write('a', 1);
      await harness.putRaw(partitionKey(next), '{"writes": [{"operationId": 7}]}');
      await harness.putRaw(partitionKey(next), 'no JSON at all');
      announce(open(), next);
      await eventually(() => received.length === 1);
      expect(received).toEqual([next]);
      expect(await metric(metrics, 'sluice_messages_undecodable_total')).toBe(2);
    });

    it('sends what is buffered when it closes, and counts what comes later as dropped', async () => {
      const received = await consuming(open());
      const announcer = open({ lingerMs: 60_000 });
      announce(announcer, write('a', 0));
      await eventually(() => announcer.healthy());
      await announcer.close();
      await eventually(() => received.length === 1);
      announce(announcer, write('a', 1));
      expect(await metric(metrics, 'sluice_announcements_dropped_total', 'closed')).toBe(1);
      expect(await metric(metrics, 'sluice_announcements_sent_total')).toBe(1);
    });

    it('reports a consumer whose handler does not return, and not one whose handler fails', async () => {
      const stalls: string[] = [];
      const gate = barrier();
      const hung = open({ watchdogMs: 1_500, onStall: ({ group }) => stalls.push(group) });
      await hung.consume({ ...consume(() => gate.pass()), group: 'hung' });
      await hung.consume({ ...consume(() => Promise.reject(new Error('away'))), group: 'failing' });
      await hung.consume({ ...consume(async () => undefined), group: 'idle' });
      announce(open(), write('a', 0));
      await eventually(() => stalls.length > 0);
      gate.open();
      expect(new Set(stalls)).toEqual(new Set(['hung']));
    });

    it('closes while its handlers fail', async () => {
      const messaging = open();
      await messaging.consume(consume(() => Promise.reject(new Error('away'))));
      announce(messaging, write('a', 0));
      await eventually(async () => (await metric(metrics, 'sluice_message_redeliveries_total')) > 0);
      await messaging.close();
      expect(await messaging.healthy()).toBe(false);
    });
  });
}
