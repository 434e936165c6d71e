import assert from 'node:assert/strict';
import { allRead } from '../results';
import { assertCount, type ConformanceCase, type ConnectorHarness, classOf, idOf, newSeed, toTest } from './harness';

export function batchCreateCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, markField, uniqueField, invalid } = harness;
  const { create, createBatch, readBatch, capabilities } = connector;
  if (!create || !createBatch) return [];
  const call = { auth, objectName };
  const isTwin = uniqueField !== undefined;
  /** Five records, of which the third is refused: its unique value is taken, or its values are no good. `there`: how many carry them. */
  const withRefused = async () => {
    const all = Array.from({ length: 5 }, () => harness.fields(newSeed()));
    if (isTwin) idOf(await create({ ...call, fields: all[2] ?? {} }));
    else all[2] = { ...all[2], ...invalid };
    return { all, records: all.map((fields) => ({ fields })), there: isTwin ? 1 : 0 };
  };
  const isAtomic = capabilities.allOrNone.create;
  const cases = [
    toTest('batch create: results are in input order', async () => {
      const all = Array.from({ length: 7 }, () => harness.fields(newSeed()));
      const results = await createBatch({ ...call, records: all.map((fields) => ({ fields })) });
      const found = await readBatch?.({ ...call, ids: results.map(idOf), fields: [markField] });
      allRead(found ?? []).forEach((record, index) => assert.equal(record?.fields[markField], all[index]?.[markField]));
    }),
  ];
  if (!isTwin && !invalid) return cases;
  return [
    ...cases,
    toTest('batch create: one result per input, the refused one alone fails', async () => {
      const { all, records, there } = await withRefused();
      const results = await createBatch({ ...call, records });
      assert.deepEqual(
        results.map(({ ok }) => ok),
        [true, true, false, true, true],
      );
      assert.equal(new Set(results.filter(({ ok }) => ok).map(idOf)).size, 4);
      for (const [index, fields] of all.entries()) await assertCount(harness, fields, index === 2 ? there : 1);
    }),
    toTest(
      `batch create, all or none: ${isAtomic ? 'one refused record leaves none written' : 'has no effect'}`,
      async () => {
        const { all, records, there } = await withRefused();
        const results = await createBatch({ ...call, records, allOrNone: true });
        assert.deepEqual(
          results.map(({ ok }) => ok),
          all.map((_, index) => !isAtomic && index !== 2),
        );
        for (const [index, fields] of all.entries()) {
          await assertCount(harness, fields, index === 2 ? there : isAtomic ? 0 : 1);
        }
      },
    ),
  ];
}

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
      for (const fields of changed) await assertCount(harness, fields, 1);
    }),
    toTest(`batch update, all or none: ${isAtomic ? 'nothing is changed' : 'has no effect'}`, async () => {
      const { changed, records } = await withAbsent();
      const results = await updateBatch({ ...call, records, allOrNone: true });
      assert.deepEqual(
        results.map(({ ok }) => ok),
        isAtomic ? [false, false, false, false] : [true, false, true, true],
      );
      for (const fields of changed) await assertCount(harness, fields, isAtomic ? 0 : 1);
    }),
  ];
}
