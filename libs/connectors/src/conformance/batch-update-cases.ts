import assert from 'node:assert/strict';
import { classOf, idOf, newSeed, toTest } from './expectations';
import type { Fields } from '../requests';
import type { ConformanceCase, ConnectorHarness } from './harness';

export function batchUpdateCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, textField, absentId } = harness;
  const { create, updateBatch, capabilities } = connector;
  if (!create || !updateBatch) return [];
  const call = { auth, objectName };
  /** Three records, and an update of them with one between that is not there. `changed`: what the three shall become. */
  const withAbsent = async () => {
    const all = Array.from({ length: 3 }, () => harness.fields(newSeed()));
    const ids: string[] = [];
    for (const fields of all) ids.push(idOf(await create({ ...call, fields })));
    const changes = all.map(() => ({ [textField]: `changed ${newSeed()}` }));
    const order = [2, -1, 0, 1];
    const records = order.map((at) => ({ recordId: ids[at] ?? absentId, fields: changes[at] ?? { [textField]: 'x' } }));
    return { ids, records, changed: all.map((fields, at) => ({ ...fields, ...changes[at] })) };
  };
  const countAll = async (all: readonly Fields[]) => Promise.all(all.map((fields) => harness.count(fields)));
  const isAtomic = capabilities.allOrNone.update;
  return [
    toTest('batch update: one result per input, the missing record alone fails', async () => {
      const { ids, changed, records } = await withAbsent();
      const results = await updateBatch({ ...call, records });
      assert.deepEqual(
        results.map(({ ok }) => ok),
        [true, false, true, true],
      );
      assert.equal(idOf(results[0]), ids[2]);
      assert.equal(classOf(results[1]), 'not-found');
      assert.deepEqual(await countAll(changed), [1, 1, 1]);
    }),
    toTest(`batch update, all or none: ${isAtomic ? 'nothing is changed' : 'has no effect'}`, async () => {
      const { changed, records } = await withAbsent();
      const results = await updateBatch({ ...call, records, allOrNone: true });
      assert.deepEqual(
        results.map(({ ok }) => ok),
        isAtomic ? [false, false, false, false] : [true, false, true, true],
      );
      assert.deepEqual(await countAll(changed), isAtomic ? [0, 0, 0] : [1, 1, 1]);
    }),
  ];
}
