import { hubspotRefusal, until } from '@sluice/testkit';
import { doubting, useFixture, type Seed } from './_executor';
import type { Behaviour } from './_fake-hubspot';

const fixture = useFixture();

const isLookup = ({ path }: { readonly path: string }): boolean => /(search|read)$/.test(path);
const lookups = () => fixture.hubspot.calls.filter(isLookup);
const laneOf = ({ projectId, laneId }: Seed) => ({ projectId, laneId });

/** The first create is written and its reply lost; the n-th lookup is answered by the n-th given. */
function losing(...answers: readonly Behaviour[]): Behaviour {
  const left = [...answers];
  let isLost = false;
  return (call, apply) => {
    if (isLookup(call)) return (left.shift() ?? ((_, applyIt) => applyIt()))(call, apply);
    const answer = apply();
    if (isLost) return answer;
    isLost = true;
    return 'hang-up';
  };
}

// A lookup is a call like any other: what it shows about the account applies to every write of it.
describe('a lookup of a create of unknown outcome', () => {
  // HubSpot's limit of searches is not the account's: what is no search continues.
  it('by search that is refused for the limit of searches holds back lookups alone', async () => {
    const seed = await fixture.seed();
    fixture.hubspot.behave = losing(() =>
      hubspotRefusal(429, { policyName: 'SECONDLY', groupName: 'publicapi:crm:search' }, { 'Retry-After': '3' }),
    );
    await fixture.startExecutor();
    const doubted = await fixture.accept(seed, [{ firstname: 'doubted' }]);
    const refusedAt = await until('the refused lookup', async () => lookups()[0]?.atMs);
    const other = await fixture.accept(seed, [{ email: 'other@x.com' }]);
    expect(await fixture.ended(seed, other)).toMatchObject({ status: 'success' });
    expect(await fixture.wasBlocked(seed)).toBe(false);
    expect(fixture.hubspot.writes()[1]?.atMs).toBeLessThan(refusedAt + 2_500);
    expect(await fixture.ended(seed, doubted)).toMatchObject({ status: 'success' });
    expect((lookups()[1]?.atMs ?? 0) - refusedAt).toBeGreaterThanOrEqual(3_000);
  });

  it('that is refused for its token marks the connection', async () => {
    const seed = await fixture.seed();
    fixture.hubspot.behave = losing(() => hubspotRefusal(401, { category: 'EXPIRED_AUTHENTICATION' }));
    await fixture.startExecutor();
    await fixture.accept(seed, [{ email: 'doubted@x.com' }]);
    const status = async () => (await fixture.store.connections.find(seed.projectId, seed.connectionId))?.status;
    await until('the mark', async () => ((await status()) === 'bad_credentials' ? true : undefined));
    expect(lookups()).toHaveLength(1);
  });

  // As long as the credentials cannot be opened no lookup is made, and that is no crash of a sender.
  it('that cannot begin is given back as what it is, and made when it can', async () => {
    const seed = await fixture.seed();
    fixture.hubspot.behave = losing();
    await fixture.startExecutor(doubting);
    const doubted = await fixture.accept(seed, [{ email: 'doubted@x.com' }]);
    const call = () => fixture.database('calls').where({ operation_id: doubted });
    const inDoubt = async (fence = 0) => {
      const [row] = await call().where({ state: 'in_doubt' }).where('fence', '>', fence);
      return row as { readonly fence: number; readonly crash_count: number; readonly look_crashes: number } | undefined;
    };
    const { fence } = await until('the doubt', inDoubt);
    const connection = fixture.database('connections').where({ project_id: seed.projectId, id: seed.connectionId });
    const [{ sealed_credentials: sealed }] = await connection.clone().select('sealed_credentials');
    await connection.clone().update({ sealed_credentials: 'unreadable' });
    expect(await until('a lookup that is released', () => inDoubt(fence))).toMatchObject({
      crash_count: 0,
      look_crashes: 0,
    });
    await connection.clone().update({ sealed_credentials: sealed });
    expect(await fixture.ended(seed, doubted)).toMatchObject({ status: 'success' });
    expect(fixture.hubspot.writes()).toHaveLength(1);
  });

  it('waits for quota, as a write does, and blocks nobody', async () => {
    const seed = await fixture.seed();
    const { context } = await fixture.startExecutor();
    const connector = context.connectors.get('hubspot');
    const lose = losing();
    fixture.hubspot.behave = async (call, apply) => {
      const answer = await lose(call, apply);
      // Others use up the account's quota.
      while (!isLookup(call) && (await context.quotas.take(laneOf(seed), connector, 'asynchronous')).granted);
      return answer;
    };
    const doubted = await fixture.accept(seed, [{ email: 'doubted@x.com' }]);
    expect(await fixture.ended(seed, doubted)).toMatchObject({ status: 'success' });
    const [sent, lookup] = fixture.hubspot.calls.map(({ atMs }) => atMs) as [number, number];
    // The first lookup would come after half a second; HubSpot's window is ten seconds long.
    expect(lookup - sent).toBeGreaterThanOrEqual(5_000);
    expect(await fixture.store.writes.readLaneBlock(laneOf(seed))).toBe(0);
    expect(fixture.hubspot.calls).toHaveLength(2);
  });
});
