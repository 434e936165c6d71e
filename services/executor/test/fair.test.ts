import { HeldBytes } from '@sluice/telemetry';
import { fillBacklog, hubspotRefusal, until } from '@sluice/testkit';
import { planBudgetBytes } from '../src/context';
import { createFixture, type Fixture } from './_executor';
import { hold, type Held } from './_hold';

let fixture: Fixture;
let noisy: Held;
beforeEach(async () => {
  fixture = await createFixture();
  noisy = hold();
});
afterEach(async () => {
  noisy.letGo();
  await fixture.close();
});

// Design 1.4: one slow customer cannot hold up another. Its backlog is older than every quiet write, so a global order would starve them.
it('a backlog of a slow account takes its own capacity and no other account waits for it', async () => {
  const slow = await fixture.seed({ accountRef: 'noisy' }, 'noisy-token');
  let open = 0;
  fixture.hubspot.behave = async ({ token }, apply) => {
    if (token !== 'noisy-token') return apply();
    open += 1;
    await noisy.held;
    return apply();
  };
  await fillBacklog(fixture.url, slow, { calls: 2_000, type: 'create' });
  const quiet = await Promise.all(['q1', 'q2', 'q3'].map((accountRef) => fixture.seed({ accountRef }, accountRef)));
  await fixture.startExecutor({ SLUICE_CALL_TIMEOUT_MS: '60000', SLUICE_CONCURRENCY: '8' });
  await until('the slow account has its slots', () => (open === 4 ? true : undefined));
  for (const seed of quiet) {
    const ids = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => fixture.accept(seed, [{ email: `${n}-${seed.laneId}@x.com` }])),
    );
    for (const id of ids) expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
  }
  expect(open).toBe(4);
});

// Plans are in memory only while there is capacity for them, and a lease is not held to wait for it.
it('a call that finds no memory for its plans within one lease is released, uncounted and unsent', async () => {
  const seed = await fixture.seed();
  const { context } = await fixture.startExecutor();
  const others = new HeldBytes('others');
  await context.plans.take(planBudgetBytes, performance.now(), others);
  const id = await fixture.accept(seed, [{ email: 'a@x.com' }]);
  const call = () => fixture.database('calls').where({ operation_id: id }).first('fence', 'attempts', 'crash_count');
  await until('it was given back and claimed again', async () =>
    Number((await call())?.fence) > 1 ? true : undefined,
  );
  expect(await call()).toMatchObject({ attempts: 0, crash_count: 0 });
  expect(fixture.hubspot.calls).toEqual([]);
  others.end();
  expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
  expect(await call()).toMatchObject({ attempts: 1 });
});

// With the sweeps off nothing else would wake it: the other lane was awake already when the slot was taken.
it('the slot of a call whose lane is put to sleep goes to the lanes that are awake', async () => {
  const [blocked, other] = [
    await fixture.seed({ accountRef: 'a' }, 'blocked'),
    await fixture.seed({ accountRef: 'b' }),
  ];
  fixture.hubspot.behave = async ({ token }, apply) => {
    if (token !== 'blocked') return apply();
    await noisy.held;
    return hubspotRefusal(429, {}, { 'Retry-After': '30' });
  };
  await fixture.startExecutor({ SLUICE_SWEEPS: 'off', SLUICE_CONCURRENCY: '1' });
  await fixture.accept(blocked, [{ email: 'a@x.com' }]);
  await until('the only slot is taken', () => fixture.hubspot.calls[0]);
  const id = await fixture.accept(other, [{ email: 'b@x.com' }]);
  // The message arrives before the slot is free.
  await new Promise((resolve) => setTimeout(resolve, 300));
  noisy.letGo();
  expect(await fixture.ended(other, id)).toMatchObject({ status: 'success' });
});
