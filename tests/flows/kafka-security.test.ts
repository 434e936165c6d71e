import { createKafkaMessaging, topics, type Messaging } from '@sluice/messaging';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import type { WriteAnnouncement } from '@sluice/types';
import { until } from '@sluice/testkit';
import { canSecureKafka, startSecuredKafka, type SecuredKafka } from '../harness/secured-kafka';

/** Brokers of a platform team are rarely open: the client must speak TLS, trust a private authority and sign in. */
const withBroker = canSecureKafka ? it : it.skip;
if (!canSecureKafka) {
  process.stderr.write('NOT CHECKED: a secured broker needs the Kafka release on this machine, not in a container.\n');
}

let kafka: SecuredKafka;
const opened: Messaging[] = [];
beforeAll(async () => {
  if (canSecureKafka) kafka = await startSecuredKafka();
});
afterAll(async () => {
  await Promise.all(opened.map((messaging) => messaging.close()));
  kafka?.stop();
});

type Access = Parameters<typeof createKafkaMessaging>[0];

function open(access: Partial<Access>): Messaging {
  const { broker, ca } = kafka;
  const base = { brokers: [broker], tls: { ca }, clientId: 'tests', logger: silentLogger };
  const messaging = createKafkaMessaging({ ...base, metrics: createMetrics('tests'), ...access });
  opened.push(messaging);
  return messaging;
}

withBroker.each<[string, () => Partial<Access>]>([
  ['plain', () => ({ sasl: { mechanism: 'plain', ...kafka.login } })],
  ['scram-sha-512', () => ({ sasl: { mechanism: 'scram-sha-512', ...kafka.login } })],
  ['a client certificate', () => ({ brokers: [kafka.certifiedBroker], tls: { ca: kafka.ca, ...kafka.client } })],
])('carries an announcement over TLS with %s', async (how, access) => {
  const messaging = open({ ...access(), prefix: `${how.replaceAll(' ', '-')}.` });
  await messaging.createTopics();
  const heard: WriteAnnouncement[] = [];
  const handle = (writes: WriteAnnouncement[]) => Promise.resolve(void heard.push(...writes));
  await messaging.consume({ topic: topics.ready, group: 'secured', handle });
  const write = announcement(how);
  messaging.announcer(topics.ready).announce(topics.ready.key(write), write);
  await until('the announcement arrives', () => Promise.resolve(heard.length > 0 || undefined));
  expect(heard).toEqual([write]);
});

withBroker.each<[string, () => Partial<Access>]>([
  ['the wrong password', () => ({ sasl: { mechanism: 'plain', username: 'sluice', password: 'canary-wrong-one' } })],
  ['no login', () => ({})],
  ['no client certificate', () => ({ brokers: [kafka.certifiedBroker] })],
  ['an authority that is not the broker`s', () => ({ tls: {}, sasl: { mechanism: 'plain', ...kafka.login } })],
])('is refused with %s, and says no password', async (_name, access) => {
  const refusal = await open(access())
    .createTopics()
    .then(
      () => 'made the topics',
      (error: Error) => JSON.stringify(error) + error.message,
    );
  expect(refusal).toContain('service.unavailable');
  expect(refusal).not.toMatch(/canary/);
});

function announcement(operationId: string): WriteAnnouncement {
  return {
    projectId: 'project',
    operationId,
    installationId: 'installation',
    laneId: 'lane',
    objectName: 'contacts',
    type: 'create',
    callNumber: 1,
    acceptedAt: '2026-11-21T00:00:00.000Z',
    traceparent: '00-00000000000000000000000000000001-0000000000000001-00',
  };
}
