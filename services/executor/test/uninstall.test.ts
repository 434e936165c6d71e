import { until } from '@sluice/testkit';
import { doubting, useFixture, type Seed } from './_executor';

const fixture = useFixture();
let seed: Seed;
beforeEach(async () => {
  seed = await fixture.seed();
});

const sent = () => fixture.hubspot.writes().length;
const uninstall = () => fixture.store.installations.remove(seed);
const inProgress = async (): Promise<number> => {
  const row = await fixture.database('operations').whereIn('state', ['accumulating', 'queued']).count('* as n').first();
  return Number((row as { n: string }).n);
};

// The promise of the deletion: after its commit nothing leaves but what was already running.
it('twenty writes accepted while the installation is deleted under a running executor: all end, none is sent after', async () => {
  await fixture.startExecutor();
  for (let n = 0; n < 20; n += 1) await fixture.accept(seed, [{ email: `before${n}@x.com` }]);
  const accepts = Array.from({ length: 20 }, async (_, n) => {
    try {
      return await fixture.accept(seed, [{ email: `during${n}@x.com` }]);
    } catch {
      // Refused: the installation was gone, which is an answer as good as any.
      return undefined;
    }
  });
  await uninstall();
  const running = await fixture.database('calls').where({ state: 'running' }).count('* as n').first();
  const sentBefore = sent();
  await Promise.all(accepts);
  await until('the end of every operation', async () => ((await inProgress()) === 0 ? true : undefined));
  expect(sent() - sentBefore).toBeLessThanOrEqual(Number((running as { n: string }).n));
  const states = await fixture.database('calls').distinct('state').select('state');
  expect(states).toEqual([{ state: 'done' }]);
});

// A create whose reply was lost may have been written: it is looked for while the connection lives, never sent again.
it('a create in doubt is looked for and adopted while another installation keeps the connection', async () => {
  await keepConnection();
  fixture.hubspot.script.push((_call, apply) => {
    apply();
    return 'hang-up';
  });
  await fixture.startExecutor(doubting);
  const id = await fixture.accept(seed, [{ email: 'doubt@x.com' }]);
  await until('the doubt', async () => ((await fixture.callStates(id))[0] === 'in_doubt' ? true : undefined));
  await uninstall();
  expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
  expect(sent()).toBe(1);
});

it('a create in doubt whose connection went too ends as outcome unknown', async () => {
  fixture.hubspot.script.push(() => 'hang-up');
  await fixture.startExecutor(doubting);
  const id = await fixture.accept(seed, [{ email: 'doubt@x.com' }]);
  await until('the doubt', async () => ((await fixture.callStates(id))[0] === 'in_doubt' ? true : undefined));
  await uninstall();
  expect(await fixture.ended(seed, id)).toMatchObject({ result: expect.stringMatching(/^Outcome unknown: /) });
  expect(await fixture.records(seed, id)).toMatchObject([{ status: 'unknown' }]);
  expect(sent()).toBe(1);
});

/** Another installation of the group, on the same connection. */
async function keepConnection(): Promise<void> {
  const { projectId, groupRef, connectionId } = seed;
  const content = { name: 'other', provider: 'hubspot' };
  const { store } = fixture;
  const other = await store.integrations.create({ projectId, ...content, specVersion: '1.0.0', content });
  const config = { revisionId: other.latestRevision.id, content: { provider: 'hubspot' }, createdBy: 'builder:test' };
  const installation = {
    projectId,
    integrationId: other.id,
    groupRef,
    connectionId,
    createdBy: 'consumer:user-1',
    config,
  };
  await store.installations.create(installation);
}
