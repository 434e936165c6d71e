import { type AcceptableWrite } from '@sluice/store';
import { markRestoredCreatesInDoubt } from '../src/writes/doubt-restored';
import { useWriteFixture } from './write-fixture';

const fixture = useWriteFixture();

/** An operation of 0.95 MB a record, four of them in a call. */
function large(records: number): AcceptableWrite {
  const plan = JSON.stringify({ fields: { note: 'x'.repeat(949_978) } });
  const write = fixture.asynchronous({ records: Array.from({ length: records }, () => ({})) });
  return {
    ...write,
    records: write.records.map((each, at) => ({ ...each, plan, callNumber: 1 + Math.floor(at / 4) })),
  };
}

// Twenty calls were one statement of 76 MB, and fifty one of 190 MB.
it('puts large creates in doubt without holding more of their plans than a call may have', async () => {
  await fixture.store.writes.accept([large(80)]);
  const database = fixture.connect();
  const read: number[] = [];
  database.on('query-response', ({ rows = [] }: { rows?: { plan?: string }[] }) =>
    read.push(rows.reduce((bytes, { plan = '' }) => bytes + plan.length, 0)),
  );
  const { found } = await markRestoredCreatesInDoubt(database, { limit: 50 }, ({ plan }) => `of ${plan.length}`);
  expect(found).toHaveLength(20);
  expect(Math.max(...read)).toBeLessThanOrEqual(5_000_000);
  expect(read.reduce((sum, bytes) => sum + bytes, 0)).toBe(80 * 950_000);
  const states = await database('calls').where({ type: 'create' }).distinct('state');
  expect(states).toEqual([{ state: 'in_doubt' }]);
  expect(await database('records').distinct('fingerprint', 'send_state')).toEqual([
    { fingerprint: 'of 950000', send_state: 'maybe' },
  ]);
  const attempts = await database('attempts').select<{ record_indexes: number[] }[]>('record_indexes');
  expect(attempts.flatMap(({ record_indexes: indexes }) => indexes).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 80 }, (_, at) => at),
  );
});
