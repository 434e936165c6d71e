import assert from 'node:assert/strict';
import { allRead } from '../results';
import { idOf, newSeed, toTest } from './expectations';
import type { ConformanceCase, ConnectorHarness } from './harness';

export function batchCreateCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, textField } = harness;
  const { create, createBatch, readBatch, capabilities } = connector;
  if (!create || !createBatch) return [];
  const call = { auth, objectName };
  const withTwin = async () => {
    const all = Array.from({ length: 5 }, () => harness.fields(newSeed()));
    idOf(await create({ ...call, fields: all[2] ?? {} }));
    return { all, records: all.map((fields) => ({ fields })) };
  };
  const isAtomic = capabilities.allOrNone.create;
  const cases = [
    toTest('batch create: results are in input order', async () => {
      const all = Array.from({ length: 7 }, () => harness.fields(newSeed()));
      const results = await createBatch({ ...call, records: all.map((fields) => ({ fields })) });
      const found = await readBatch?.({ ...call, ids: results.map(idOf), fields: [textField] });
      allRead(found ?? []).forEach((record, index) => assert.equal(record?.fields[textField], all[index]?.[textField]));
    }),
  ];
  if (!harness.isUnique) return cases;
  return [
    ...cases,
    toTest('batch create: one result per input, the refused one alone fails', async () => {
      const { all, records } = await withTwin();
      const results = await createBatch({ ...call, records });
      assert.deepEqual(
        results.map(({ ok }) => ok),
        [true, true, false, true, true],
      );
      assert.equal(new Set(results.filter(({ ok }) => ok).map(idOf)).size, 4);
      for (const fields of all) assert.equal(await harness.count(fields), 1);
    }),
    toTest(
      `batch create, all or none: ${isAtomic ? 'one refused record leaves none written' : 'has no effect'}`,
      async () => {
        const { all, records } = await withTwin();
        const results = await createBatch({ ...call, records, allOrNone: true });
        assert.deepEqual(
          results.map(({ ok }) => ok),
          all.map((_, index) => !isAtomic && index !== 2),
        );
        for (const [index, fields] of all.entries()) {
          assert.equal(await harness.count(fields), !isAtomic || index === 2 ? 1 : 0);
        }
      },
    ),
  ];
}
