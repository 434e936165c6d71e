import assert from 'node:assert/strict';
import { classOf, idOf, newSeed, toTest } from './expectations';
import type { ConformanceCase, ConnectorHarness } from './harness';

export function singleCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, textField, absentId, badAuth } = harness;
  const { create, update } = connector;
  const call = { auth, objectName };
  const cases: ConformanceCase[] = [];
  if (create) {
    cases.push(
      toTest('create: written once, with its id', async () => {
        const fields = harness.fields(newSeed());
        assert.match(idOf(await create({ ...call, fields })), /./);
        assert.equal(await harness.count(fields), 1);
      }),
      toTest('create: refused credentials write nothing', async () => {
        const fields = harness.fields(newSeed());
        assert.equal(classOf(await create({ ...call, auth: badAuth, fields })), 'credentials');
        assert.equal(await harness.count(fields), 0);
      }),
      toTest('create: cancelled before it began is certainly not applied', async () => {
        const fields = harness.fields(newSeed());
        assert.equal(classOf(await create({ ...call, fields, signal: AbortSignal.abort() })), 'unavailable');
        assert.equal(await harness.count(fields), 0);
      }),
    );
  }
  if (create && update) {
    cases.push(
      toTest('update: changes what is sent and leaves the rest', async () => {
        const fields = harness.fields(newSeed());
        const recordId = idOf(await create({ ...call, fields }));
        const changed = { [textField]: `changed ${newSeed()}` };
        assert.equal(idOf(await update({ ...call, recordId, fields: changed })), recordId);
        assert.equal(await harness.count({ ...fields, ...changed }), 1);
      }),
      toTest('update: no such record', async () => {
        assert.equal(classOf(await update({ ...call, recordId: absentId, fields: { [textField]: 'x' } })), 'not-found');
      }),
    );
  }
  return cases;
}
