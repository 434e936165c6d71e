import { hubspotRefusal, sampleManifest, until } from '@sluice/testkit';
import { doubting, useFixture, type Seed } from './_executor';
import type { Answer } from './_fake-hubspot';

const fixture = useFixture();

/** The ten minutes of a block are over. */
const endBlock = async ({ projectId, laneId }: Seed) => {
  const now = fixture.database.fn.now();
  await fixture.database('lanes').where({ project_id: projectId, id: laneId }).update({ blocked_until: now });
  await fixture.database('calls').where({ project_id: projectId, lane_id: laneId }).update({ not_before: now });
};
const tokensUsed = () => fixture.hubspot.writes().map(({ token }) => token);
const statusOf = async (seed: Seed) =>
  (await fixture.store.connections.find(seed.projectId, seed.connectionId))?.status;

describe('429', () => {
  it('blocks the lane for as long as the provider requests; then everything is sent, by the timer alone', async () => {
    const seed = await fixture.seed();
    await fixture.startExecutor({ SLUICE_SWEEPS: 'off' });
    fixture.hubspot.script.push(() => hubspotRefusal(429, {}, { 'Retry-After': '2' }));
    const first = await fixture.accept(seed, [{ email: 'a@x.com' }]);
    await until('the block', async () => (await fixture.wasBlocked(seed)) || undefined);
    const others = await Promise.all([1, 2, 3].map((n) => fixture.accept(seed, [{ email: `r${n}@x.com` }])));
    for (const id of [first, ...others]) expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
    const [refused = 0, next = 0, ...rest] = fixture.hubspot.writes().map(({ atMs }) => atMs);
    expect(next - refused).toBeGreaterThanOrEqual(2_000);
    expect(rest).toHaveLength(3);
  });

  it('[sec-38] costs one call per block, and other lanes go on', async () => {
    const [blocked, free] = [
      await fixture.seed({}, 'blocked-token'),
      await fixture.seed({ accountRef: 'other' }, 'free-token'),
    ];
    const executor = await fixture.startExecutor();
    fixture.hubspot.behave = ({ token }, apply) =>
      token === 'blocked-token' ? hubspotRefusal(429, {}, { 'Retry-After': '600' }) : apply();
    const first = await fixture.accept(blocked, [{ email: 'a@x.com' }]);
    await until('the block', async () => (await fixture.wasBlocked(blocked)) || undefined);
    const others = await Promise.all(
      Array.from({ length: 5 }, (_, at) => fixture.accept(blocked, [{ email: `b${at}@x.com` }])),
    );
    for (let n = 0; n < 3; n += 1) {
      const id = await fixture.accept(free, [{ email: `f${n}@x.com` }]);
      expect(await fixture.ended(free, id)).toMatchObject({ status: 'success' });
    }
    expect(tokensUsed().filter((token) => token === 'blocked-token')).toHaveLength(1);
    // When the block is over everything is sent, and nothing of it has used up a try.
    fixture.hubspot.behave = (_call, apply) => apply();
    // It sleeps as long as the provider requested; another process knows what the database has.
    await executor.stop();
    await endBlock(blocked);
    await fixture.startExecutor();
    for (const id of others)
      expect(await fixture.ended(blocked, id)).toMatchObject({
        status: 'success',
        metadata: { retry: { attempts: 1 } },
      });
    expect(await fixture.ended(blocked, first)).toMatchObject({
      status: 'success',
      metadata: { retry: { attempts: 2 } },
    });
  });
});

describe('at its deadline what is held back fails, also what was never sent', () => {
  it.each<[string, Answer, (seed: Seed) => Promise<boolean>, string]>([
    [
      'by a block, with the last text of the provider',
      hubspotRefusal(429, { message: 'Daily limit reached', policyName: 'DAILY' }),
      (seed) => fixture.wasBlocked(seed),
      'Daily limit reached',
    ],
    [
      'by refused credentials',
      hubspotRefusal(401, { category: 'INVALID_AUTHENTICATION' }),
      async (seed) => (await statusOf(seed)) === 'bad_credentials',
      'credentials',
    ],
  ])('%s', async (_, answer, isHeldBack, text) => {
    const seed = await fixture.seed();
    await fixture.startExecutor();
    fixture.hubspot.behave = () => answer;
    const first = await fixture.accept(seed, [{ email: 'a@x.com' }]);
    await until('the refusal', async () => (await isHeldBack(seed)) || undefined);
    const second = await fixture.accept(seed, [{ email: 'b@x.com' }]);
    await until('the first is back', async () => ((await fixture.callStates(first))[0] === 'ready' ? true : undefined));
    for (const id of [first, second]) await fixture.setDeadline(id, -1);
    for (const id of [first, second]) {
      expect(await fixture.ended(seed, id)).toMatchObject({ status: 'failure', result: expect.stringContaining(text) });
    }
    expect(fixture.hubspot.calls).toHaveLength(1);
  });
});

describe('refused credentials', () => {
  it('hold back only that connection, also on a shared lane; new credentials set it going again', async () => {
    const one = await fixture.seed({}, 'bad-token');
    const manifest = sampleManifest({ name: 'crm2' });
    const two = await fixture.seed({ projectId: one.projectId, groupRef: 'group-2', manifest }, 'good-token');
    expect(two.laneId).toBe(one.laneId);
    await fixture.startExecutor();
    fixture.hubspot.behave = ({ token }, apply) =>
      token === 'bad-token' ? hubspotRefusal(401, { category: 'INVALID_AUTHENTICATION' }) : apply();
    const first = await fixture.accept(one, [{ email: 'a@x.com' }]);
    await until('the refusal', async () => ((await statusOf(one)) === 'bad_credentials' ? true : undefined));
    const second = await fixture.accept(one, [{ email: 'b@x.com' }]);
    const other = await fixture.accept(two, [{ email: 'c@x.com' }]);
    expect(await fixture.ended(two, other)).toMatchObject({ status: 'success' });
    expect(tokensUsed()).toEqual(['bad-token', 'good-token']);
    expect(await fixture.operation(one, first)).toMatchObject({ status: 'in_progress' });
    expect(await statusOf(two)).toBe('working');

    fixture.hubspot.behave = (_call, apply) => apply();
    await fixture
      .database('connections')
      .where({ id: one.connectionId })
      .update({ status: 'created', token_version: 2 });
    for (const id of [first, second]) expect(await fixture.ended(one, id)).toMatchObject({ status: 'success' });
    expect(await statusOf(one)).toBe('working');
  });

  // Nobody may wait for ever: what was sent cannot be looked for without credentials, so its outcome stays unknown.
  it('a create in doubt ends at its deadline too, as unknown', async () => {
    const seed = await fixture.seed();
    await fixture.startExecutor(doubting);
    fixture.hubspot.behave = (call) => (call.path.endsWith('read') ? hubspotRefusal(401) : 'hang-up');
    const operationId = await fixture.accept(seed, [{ email: 'a@x.com' }]);
    await until('the doubt', async () =>
      (await fixture.callStates(operationId))[0] === 'in_doubt' ? true : undefined,
    );
    await fixture.database('connections').where({ id: seed.connectionId }).update({ status: 'bad_credentials' });
    await fixture.setDeadline(operationId, -7_200_000);
    expect(await fixture.ended(seed, operationId)).toMatchObject({
      status: 'failure',
      result: expect.stringMatching(/outcome unknown/i),
    });
    expect((await fixture.records(seed, operationId))[0]).toMatchObject({ status: 'unknown' });
    expect(fixture.hubspot.writes()).toHaveLength(1);
  });
});
