import { until } from '@sluice/testkit';
import { useGround } from './_executor';
import { hold } from './_hold';

const ground = useGround();

it('finishes and settles the calls in flight, leaves the others to another executor, and holds no lease', async () => {
  const seed = await ground.seed();
  const executor = await ground.startExecutor();
  const { held, letGo } = hold();
  ground.hubspot.behave = async (_call, apply) => {
    await held;
    return apply();
  };
  const ids = await Promise.all(
    Array.from({ length: 10 }, (_, at) => ground.accept(seed, [{ email: `r${at}@x.com` }])),
  );
  await until('four calls in flight', () => (ground.hubspot.calls.length === 4 ? true : undefined));
  let isStopped = false;
  const stopped = executor.stop().then(() => (isStopped = true));
  const late = await ground.accept(seed, [{ email: 'late@x.com' }], { announce: false });
  expect(isStopped).toBe(false);
  letGo();
  await stopped;
  const rows = await ground.database('calls').groupBy('state').orderBy('state').select('state').count('* as n');
  expect(rows).toEqual([
    { state: 'done', n: '4' },
    { state: 'ready', n: '7' },
  ]);
  expect(ground.hubspot.calls).toHaveLength(4);
  await ground.startExecutor();
  for (const id of [...ids, late])
    expect(await ground.ended(seed, id)).toMatchObject({ status: 'success', metadata: { retry: { attempts: 1 } } });
  expect(ground.hubspot.contacts.size).toBe(11);
});
