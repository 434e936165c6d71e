import { silentLogger, type Logger } from '@sluice/telemetry';
import { hubspotRefusal } from '@sluice/testkit';
import { startGateway, type RunningGateway, type Seed } from './_gateway';

const lines: Record<string, unknown>[] = [];
const logger: Logger = {
  ...silentLogger,
  warn: (fields, event) => void lines.push({ event, ...fields }),
  child: () => logger,
};
let gateway: RunningGateway;
let seed: Seed;
beforeAll(async () => {
  gateway = await startGateway({ logger });
});
beforeEach(async () => {
  gateway.hubspot.takeAll();
  seed = await gateway.seed();
  lines.length = 0;
});
afterAll(() => gateway.stop());

const write = async (times: number): Promise<void> => {
  for (let n = 0; n < times; n += 1) await gateway.write(seed, { type: 'update', record: { id: '7', city: 'Bern' } });
};
const linesOf = (...events: string[]) => lines.filter(({ event }) => events.includes(String(event)));
const ofGroup = () => ({ groupRef: seed.groupRef, provider: 'hubspot', reason: expect.any(String) });

it.each([
  ['answers 503', () => hubspotRefusal(503), 'answered 503'],
  ['hangs up', () => 'hang-up' as const, expect.stringMatching(/^sent no reply: [A-Z_]+/)],
])(
  'a provider that %s: one line for it and one for the group when it begins, and one each when it ends',
  async (_case, answer, reason) => {
    gateway.hubspot.answer = answer;
    await write(8);
    const failing = [
      { event: 'group.failing', projectId: seed.projectId, ...ofGroup(), reason, count: 5 },
      { event: 'provider.failing', provider: 'hubspot', reason, count: 5 },
    ];
    expect(lines).toMatchObject(failing);
    gateway.hubspot.takeAll();
    await write(25);
    expect(lines).toMatchObject([
      ...failing,
      { event: 'group.recovered', ...ofGroup(), reason, count: 8, ended: 'observed' },
      { event: 'provider.recovered', provider: 'hubspot', reason, count: 8 },
    ]);
  },
);

it('an account that refuses for its quota: one line, however many writes meet the block', async () => {
  gateway.hubspot.answer = () => hubspotRefusal(429, { policyName: 'TEN_SECONDLY_ROLLING' });
  await write(10);
  expect(linesOf('lane.blocked')).toMatchObject([
    { projectId: seed.projectId, ...ofGroup(), status: 429, class: 'quota', count: 1 },
  ]);
});

it('credentials that are refused: one line, and one when they work again', async () => {
  gateway.hubspot.answer = () => hubspotRefusal(401);
  await write(4);
  const names = {
    projectId: seed.projectId,
    groupRef: seed.groupRef,
    provider: 'hubspot',
    connectionId: seed.connectionId,
  };
  const bad = { event: 'connection.bad-credentials', ...names, reason: 'answered 401', status: 401, count: 1 };
  expect(linesOf('connection.bad-credentials', 'connection.restored')).toEqual([bad]);
  gateway.hubspot.takeAll();
  await write(4);
  expect(linesOf('connection.bad-credentials', 'connection.restored')).toEqual([
    bad,
    { event: 'connection.restored', ...names },
  ]);
});
