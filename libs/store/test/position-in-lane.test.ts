import type { ClaimedCall } from '@sluice/store';
import { until } from '@sluice/testkit';
import { unfinished, useWriteFixture } from './write-fixture';

const fixture = useWriteFixture();

/** Two writes, of which the first is claimed. */
async function claimFirst(leaseMs: number) {
  const first = await fixture.accept();
  await fixture.accept();
  const call = await fixture.claimOne({ limit: 1, leaseMs });
  expect(call.operationId).toBe(first.operation.id);
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

// Its client repeats the request with its idempotency key, and is told 409 until the lookup.
it('a synchronous call whose lease lapsed is looked up before what was accepted earlier', async () => {
  const { writes } = fixture.store;
  await writes.accept([fixture.asynchronous(), fixture.asynchronous()]);
  const write = fixture.asynchronous();
  const held = { ...write, operation: { ...write.operation, mode: 'synchronous' as const } };
  await writes.openSynchronous({ ...held, owner: 'gateway', leaseMs: 30 });
  await until('the lapse', async () => ((await writes.lapse(10)).length > 0 ? true : undefined));
  expect(await fixture.claim({ limit: 1 })).toMatchObject([{ operationId: held.operation.id, isInDoubt: true }]);
});

it('a call that stays in doubt is looked up again before what has not begun', async () => {
  const call = await claimFirst(6_000);
  await fixture.send(call, 0);
  const stillInDoubt = (held: ClaimedCall) =>
    fixture.settle(held, [unfinished(0, 'maybe')], { next: { state: 'in_doubt', delayMs: 0 } });
  await stillInDoubt(call);
  const reconciled = await fixture.claimOne({ limit: 1 });
  expect(reconciled).toMatchObject({ operationId: call.operationId, isInDoubt: true });
  await stillInDoubt(reconciled);
  // With room for two, what is ready has its turn beside it.
  const both = await fixture.claim({ limit: 2 });
  expect(new Set(both.map(({ isInDoubt }) => isInDoubt))).toEqual(new Set([true, false]));
});
