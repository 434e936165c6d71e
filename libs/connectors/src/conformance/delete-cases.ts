import assert from 'node:assert/strict';
import { classOf, idOf, newSeed, toTest } from './expectations';
import type { ConformanceCase, ConnectorHarness } from './harness';

export function deleteCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, absentId, badAuth, textField } = harness;
  const { create, delete: remove, readBatch, update } = connector;
  if (!remove || !create) return [];
  const call = { auth, objectName };
  const created = async () => {
    const fields = harness.fields(newSeed());
    return { fields, recordId: idOf(await create({ ...call, fields })) };
  };
  return [
    toTest('delete: the record is gone, to counting, reading and updating', async () => {
      const { fields, recordId } = await created();
      assert.equal(idOf(await remove({ ...call, recordId })), recordId);
      assert.equal(await harness.count(fields), 0);
      assert.deepEqual(await readBatch?.({ ...call, ids: [recordId], fields: [textField] }), readBatch && [undefined]);
      assert.equal(classOf(await update?.({ ...call, recordId, fields: { [textField]: 'x' } })), 'not-found');
    }),
    toTest('delete: of what is not there is no failure that could be tried again', async () => {
      const { recordId } = await created();
      idOf(await remove({ ...call, recordId }));
      for (const gone of [recordId, absentId]) {
        const result = await remove({ ...call, recordId: gone });
        assert.ok(result.ok || result.error.class === 'not-found', JSON.stringify(result));
      }
    }),
    toTest('delete: refused credentials delete nothing', async () => {
      const { fields, recordId } = await created();
      assert.equal(classOf(await remove({ ...call, auth: badAuth, recordId })), 'credentials');
      assert.equal(await harness.count(fields), 1);
    }),
  ];
}
