import { startTcpProxy, type TcpProxy, until } from '@sluice/testkit';
import { useFixture, type Seed } from './_executor';

const fixture = useFixture();
let proxy: TcpProxy;
let seed: Seed;
beforeEach(async () => {
  proxy = await startTcpProxy(fixture.url);
  seed = await fixture.seed();
  // A call whose intent had no answer is sent after the lease and this timeout.
  await fixture.startExecutor({ DATABASE_URL: proxy.url, SLUICE_CALL_TIMEOUT_MS: '4000' });
});
afterEach(() => proxy.close());

// The provider's answer is held until it can be stored.
it('the database goes away during a call: the outcome is settled when it is back, and nothing is sent twice', async () => {
  fixture.hubspot.script.push((_call, apply) => {
    proxy.cut();
    return apply();
  });
  const operationId = await fixture.accept(seed, [{ firstname: 'Zoë' }]);
  await until('the call', () => fixture.hubspot.calls[0]);
  expect(await fixture.operation(seed, operationId)).toMatchObject({ status: 'in_progress' });
  await proxy.mend();
  expect(await fixture.ended(seed, operationId)).toMatchObject({
    status: 'success',
    metadata: { retry: { attempts: 1 } },
  });
  // Not even looked for: the answer was known.
  expect(fixture.hubspot.calls).toHaveLength(1);
});

it('the answer to the intent is lost: nothing is sent under it, and the write is still made', async () => {
  proxy.loseAnswerTo('sent_members = i.record_indexes');
  const operationId = await fixture.accept(seed, [{ email: 'a@x.com' }]);
  expect(await fixture.ended(seed, operationId)).toMatchObject({ status: 'success' });
  expect(proxy.lost()).toBe(1);
  expect(fixture.hubspot.writes()).toHaveLength(1);
});

it('the answer to the settlement is lost: the operation ends once, and nothing is sent twice', async () => {
  proxy.loseAnswerTo('COMMIT');
  fixture.hubspot.script.push((_call, apply) => {
    proxy.loseAnswerTo('COMMIT');
    return apply();
  });
  const operationId = await fixture.accept(seed, [{ email: 'a@x.com' }]);
  expect(await fixture.ended(seed, operationId)).toMatchObject({
    status: 'success',
    metadata: { successfulRecordIds: ['1000'] },
  });
  expect(proxy.lost()).toBe(2);
  const [row] = await fixture.database('operations').select('records_succeeded', 'records_failed', 'calls_open');
  expect(row).toEqual({ records_succeeded: 1, records_failed: 0, calls_open: 0 });
  expect(fixture.hubspot.writes()).toHaveLength(1);
});

it('away and back again: the executor recovers by itself', async () => {
  proxy.cut();
  const ids = await Promise.all([1, 2, 3].map((n) => fixture.accept(seed, [{ email: `r${n}@x.com` }])));
  expect(await Promise.all(ids.map((id) => fixture.callStates(id)))).toEqual([['ready'], ['ready'], ['ready']]);
  await proxy.mend();
  for (const id of ids) expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
  expect(fixture.hubspot.calls).toHaveLength(3);
});
