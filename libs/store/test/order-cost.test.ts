import { openDatabase } from '@sluice/store';
import { patientLimits } from '@sluice/testkit';
import { claimReady } from '../src/writes/claim-calls';
import { pagesOf } from './statement-cost';
import { createWriteFixture, type WriteFixture } from './write-fixture';

let fixture: WriteFixture;
let database: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  fixture = await createWriteFixture();
  database = openDatabase({ url: fixture.url, poolMax: 1, applicationName: 'test', limits: patientLimits });
});
afterAll(async () => {
  await database.destroy();
  await fixture.close();
});

/** Updates of as many records, in operations of 100. */
async function acceptUpdates(from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += 100) {
    const records = Array.from({ length: 100 }, (_, at) => ({ recordId: String(first + at) }));
    await fixture.store.writes.accept([fixture.asynchronous({ type: 'update', records })]);
  }
}

const claim = async (inside: typeof database) => {
  const request = { owner: 'test', lanes: [fixture.lane], limit: 4, perLane: 4, leaseMs: 6_000, isolated: false };
  const { calls } = await claimReady(inside, request);
  expect(calls).toHaveLength(4);
};

// A table of millions is not analyzed for a burst of thousands: a claim that joined all of them with all took longer than a statement may.
it('with twenty times as many updates that wait, a claim reads no more, though the statistics are of a time when none did', async () => {
  for (const table of ['operations', 'calls', 'records', 'order_queue']) {
    await database.raw('alter table ?? set (autovacuum_enabled = off)', [table]);
  }
  await acceptUpdates(0, 1_000);
  for (let calls = await fixture.claim(); calls.length > 0; calls = await fixture.claim()) {
    for (const call of calls) await fixture.settleAll(call);
  }
  await database.raw('vacuum (analyze) operations, calls, records, order_queue');
  await acceptUpdates(1_000, 1_500);
  const before = await pagesOf(database, claim);
  await acceptUpdates(1_500, 11_500);
  const after = await pagesOf(database, claim);
  // An index is two levels deeper. Read whole, it would be five times as much.
  expect(after).toBeLessThan(2 * before);
});
