import { until } from '@sluice/testkit';
import { useFixture } from './_executor';
import { hold } from './_hold';

const fixture = useFixture();

it('finishes and settles the calls in flight, leaves the others to another executor, and holds no lease', async () => {
  const seed = await fixture.seed();
  const executor = await fixture.startExecutor();
  const { held, letGo } = hold();
  fixture.hubspot.behave = async (_call, apply) => {
    await held;
    return apply();
  };
  const ids = await Promise.all(
    Array.from({ length: 10 }, (_, at) => fixture.accept(seed, [{ email: `r${at}@x.com` }])),
  );
  await until('four calls in flight', () => (fixture.hubspot.calls.length === 4 ? true : undefined));
  let isStopped = false;
  const stopped = executor.stop().then(() => (isStopped = true));
  const late = await fixture.accept(seed, [{ email: 'late@x.com' }], { announce: false });
  expect(isStopped).toBe(false);
  letGo();
  await stopped;
  const rows = await fixture.database('calls').groupBy('state').orderBy('state').select('state').count('* as n');
  expect(rows).toEqual([
    { state: 'done', n: '4' },
    { state: 'ready', n: '7' },
  ]);
  expect(fixture.hubspot.calls).toHaveLength(4);
  await fixture.startExecutor();
  for (const id of [...ids, late])
    expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success', metadata: { retry: { attempts: 1 } } });
  expect(fixture.hubspot.contacts.size).toBe(11);
});
