import assert from 'node:assert/strict';
import { classOf, idOf, newSeed, toTest } from './expectations';
import type { ConformanceCase, ConnectorHarness } from './harness';

export function batchCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, textField, absentId } = harness;
  const { create, createBatch, updateBatch, readBatch } = connector;
  const call = { auth, objectName };
  const cases: ConformanceCase[] = [];
  if (createBatch && create) {
    const withTwin = async () => {
      const all = Array.from({ length: 5 }, () => harness.fields(newSeed()));
      idOf(await create({ ...call, fields: all[2] ?? {} }));
      return { all, records: all.map((fields) => ({ fields })) };
    };
    cases.push(
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
      toTest('batch create: results are in input order', async () => {
        const all = Array.from({ length: 7 }, () => harness.fields(newSeed()));
        const results = await createBatch({ ...call, records: all.map((fields) => ({ fields })) });
        const found = await readBatch?.({ ...call, ids: results.map(idOf), fields: [textField] });
        found?.forEach((record, index) => assert.equal(record?.fields[textField], all[index]?.[textField]));
      }),
      toTest('batch create, all or none: one refused record leaves none written', async () => {
        const { all, records } = await withTwin();
        const results = await createBatch({ ...call, records, allOrNone: true });
        assert.deepEqual(
          results.map(({ ok }) => ok),
          all.map(() => false),
        );
        for (const [index, fields] of all.entries()) assert.equal(await harness.count(fields), index === 2 ? 1 : 0);
      }),
    );
  }
  if (updateBatch && create) {
    cases.push(
      toTest('batch update: one result per input, the missing record alone fails', async () => {
        const all = Array.from({ length: 3 }, () => harness.fields(newSeed()));
        const ids: string[] = [];
        for (const fields of all) ids.push(idOf(await create({ ...call, fields })));
        const changed = { [textField]: `changed ${newSeed()}` };
        const recordIds = [ids[2], absentId, ids[0], ids[1]].map(String);
        const results = await updateBatch({
          ...call,
          records: recordIds.map((recordId) => ({ recordId, fields: changed })),
        });
        assert.deepEqual(
          results.map(({ ok }) => ok),
          [true, false, true, true],
        );
        assert.equal(idOf(results[0]), ids[2]);
        assert.equal(classOf(results[1]), 'not-found');
        for (const fields of all) assert.equal(await harness.count({ ...fields, ...changed }), 1);
      }),
    );
  }
  return cases;
}
