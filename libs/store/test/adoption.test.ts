import type { ClaimedCall, Settlement } from '@sluice/store';
import { createWriteFixture, type WriteFixture } from './write-fixture';

let fixture: WriteFixture;
beforeEach(async () => {
  fixture = await createWriteFixture();
});
afterEach(() => fixture.close());

/** Two creates in doubt, claimed to be looked for. */
async function claimTwo(): Promise<ClaimedCall[]> {
  for (let n = 0; n < 2; n += 1) await fixture.store.writes.accept([fixture.asynchronous()]);
  return await fixture.claim();
}
const adopt = (call: ClaimedCall, providerId = '77'): Settlement => ({
  ...call,
  isCreate: true,
  records: [{ index: 0, kind: 'succeeded', providerId, isAdopted: true }],
  next: { state: 'done' },
  orderKeys: [],
});
const outcomesOf = async (calls: readonly ClaimedCall[]) => {
  const { operations } = fixture.store;
  const records = await Promise.all(calls.map((call) => operations.listRecords(call.projectId, call.operationId)));
  return records.flat().map(({ status, recordId }) => `${status} ${recordId ?? '-'}`);
};

// Two looks at the same moment see the same record and no claim on it; only one of the two creates made it.
describe('two reconciliations that adopt one provider record', () => {
  it.each<[string, (settlements: readonly Settlement[]) => Promise<unknown>]>([
    ['in one transaction', (settlements) => fixture.store.writes.settle(settlements)],
    ['at the same time', (settlements) => Promise.all(settlements.map((each) => fixture.store.writes.settle([each])))],
  ])('%s: one succeeds, the other goes back into doubt', async (_case, settle) => {
    const calls = await claimTwo();
    await settle(calls.map((call) => adopt(call)));
    expect((await outcomesOf(calls)).sort()).toEqual(['pending -', 'succeeded 77']);
    expect(await fixture.store.writes.findReadyLanes()).toEqual([]);
  });

  it('the answer says where the call went, and its operation is not over', async () => {
    const [first, second] = (await claimTwo()) as [ClaimedCall, ClaimedCall];
    await fixture.store.writes.settle([adopt(first)]);
    const [settled] = (await fixture.store.writes.settle([adopt(second)])).values();
    expect(settled).toMatchObject({ isHeld: true, next: { state: 'in_doubt' } });
    expect(settled).not.toHaveProperty('ended');
    expect(await fixture.store.operations.find(second.projectId, second.operationId)).toMatchObject({
      status: 'in_progress',
    });
  });

  it('different records: both succeed', async () => {
    const calls = await claimTwo();
    await fixture.store.writes.settle(calls.map((call, at) => adopt(call, `7${at}`)));
    expect((await outcomesOf(calls)).sort()).toEqual(['succeeded 70', 'succeeded 71']);
  });
});

it('a reply that names a record which was adopted meanwhile still succeeds: it made it', async () => {
  const [first, second] = (await claimTwo()) as [ClaimedCall, ClaimedCall];
  await fixture.store.writes.settle([adopt(first)]);
  const reply: Settlement = { ...adopt(second), records: [{ index: 0, kind: 'succeeded', providerId: '77' }] };
  await fixture.store.writes.settle([{ ...reply, attempt: { durationMs: 1, status: 201 } }]);
  expect(await outcomesOf([second])).toEqual(['succeeded 77']);
});
