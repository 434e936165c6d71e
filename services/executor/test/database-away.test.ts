import { startTcpProxy, type TcpProxy, until } from '@sluice/testkit';
import { useGround, type Seed } from './_executor';

const ground = useGround();
let proxy: TcpProxy;
let seed: Seed;
beforeEach(async () => {
  proxy = await startTcpProxy(ground.url);
  seed = await ground.seed();
  // A call whose intent had no answer is sent after the lease and this timeout.
  await ground.startExecutor({ DATABASE_URL: proxy.url, SLUICE_CALL_TIMEOUT_MS: '4000' });
});
afterEach(() => proxy.close());

// The provider's answer is held until it can be stored.
it('the database goes away during a call: the outcome is settled when it is back, and nothing is sent twice', async () => {
  ground.hubspot.script.push((_call, apply) => {
    proxy.cut();
    return apply();
  });
  const operationId = await ground.accept(seed, [{ firstname: 'Zoë' }]);
  await until('the call', () => ground.hubspot.calls[0]);
  expect(await ground.operation(seed, operationId)).toMatchObject({ status: 'in_progress' });
  await proxy.mend();
  expect(await ground.ended(seed, operationId)).toMatchObject({
    status: 'success',
    metadata: { retry: { attempts: 1 } },
  });
  // Not even looked for: the answer was known.
  expect(ground.hubspot.calls).toHaveLength(1);
});

it('the answer to the intent is lost: nothing is sent under it, and the write is still made', async () => {
  proxy.loseAnswerTo('sent_members = i.record_indexes');
  const operationId = await ground.accept(seed, [{ email: 'a@x.com' }]);
  expect(await ground.ended(seed, operationId)).toMatchObject({ status: 'success' });
  expect(proxy.lost()).toBe(1);
  expect(ground.hubspot.writes()).toHaveLength(1);
});

it('the answer to the settlement is lost: the operation ends once, and nothing is sent twice', async () => {
  proxy.loseAnswerTo('COMMIT');
  ground.hubspot.script.push((_call, apply) => {
    proxy.loseAnswerTo('COMMIT');
    return apply();
  });
  const operationId = await ground.accept(seed, [{ email: 'a@x.com' }]);
  expect(await ground.ended(seed, operationId)).toMatchObject({
    status: 'success',
    metadata: { successfulRecordIds: ['1000'] },
  });
  expect(proxy.lost()).toBe(2);
  const [row] = await ground.database('operations').select('records_succeeded', 'records_failed', 'calls_open');
  expect(row).toEqual({ records_succeeded: 1, records_failed: 0, calls_open: 0 });
  expect(ground.hubspot.writes()).toHaveLength(1);
});

it('away and back again: the executor recovers by itself', async () => {
  proxy.cut();
  const ids = await Promise.all([1, 2, 3].map((n) => ground.accept(seed, [{ email: `r${n}@x.com` }])));
  expect(await Promise.all(ids.map((id) => ground.callStates(id)))).toEqual([['ready'], ['ready'], ['ready']]);
  await proxy.mend();
  for (const id of ids) expect(await ground.ended(seed, id)).toMatchObject({ status: 'success' });
  expect(ground.hubspot.calls).toHaveLength(3);
});
