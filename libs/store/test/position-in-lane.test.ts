import { until } from '@sluice/testkit';
import { createWriteFixture, type WriteFixture } from './write-fixture';

let fixture: WriteFixture;
beforeEach(async () => {
  fixture = await createWriteFixture();
});
afterEach(() => fixture.close());

/** Two writes, of which the first is claimed. */
async function claimFirst(leaseMs: number) {
  const [first, second] = [fixture.asynchronous(), fixture.asynchronous()];
  await fixture.store.writes.accept([first]);
  await fixture.store.writes.accept([second]);
  const [call] = await fixture.claim({ limit: 1, leaseMs });
  expect(call?.operationId).toBe(first.operation.id);
  if (call === undefined) throw new Error('nothing was claimed');
  return call;
}

// A call that was in flight when its executor was killed stood behind the whole backlog of its lane, and was claimed minutes later.
it('a call whose lease lapsed is claimed before what has not begun', async () => {
  const call = await claimFirst(30);
  await until('the lapse', async () => ((await fixture.store.writes.lapse(10)).length > 0 ? true : undefined));
  expect(await fixture.claim({ limit: 1 })).toMatchObject([{ operationId: call.operationId }]);
});

it('a call that is given back without a delay is claimed before what has not begun', async () => {
  const call = await claimFirst(6_000);
  await fixture.store.writes.release([{ ...call, delayMs: 0 }]);
  expect(await fixture.claim({ limit: 1 })).toMatchObject([{ operationId: call.operationId }]);
});
