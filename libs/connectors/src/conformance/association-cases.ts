import assert from 'node:assert/strict';
import { type ConformanceCase, type ConnectorHarness, idOf, newSeed, toTest, within } from './harness';

export function associationCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, textField, linked, visibleWithinMs = 0 } = harness;
  const { create, update, updateBatch } = connector;
  const supported = connector.capabilities.associations;
  if (!create || !supported || !linked) return [];
  const call = { auth, objectName };
  const newRecord = async () => idOf(await create({ ...call, fields: harness.fields(newSeed()) }));
  const newTarget = async () =>
    idOf(await create({ auth, objectName: linked.objectName, fields: linked.fields(newSeed()) }));
  const assertLinked = (record: string, target: string) =>
    within(visibleWithinMs, async () => assert.ok(await linked.isLinked(record, target), 'no search shows the link'));
  const cases: ConformanceCase[] = [];
  if (supported.create) {
    cases.push(
      toTest('associations: made with a create', async () => {
        const target = await newTarget();
        const fields = harness.fields(newSeed());
        const record = idOf(await create({ ...call, fields, associations: [linked.association(target)] }));
        await assertLinked(record, target);
      }),
    );
  }
  if (!supported.update || !update) return cases;
  cases.push(
    toTest('associations: made with an update, and without fields', async () => {
      const [record, first, second] = [await newRecord(), await newTarget(), await newTarget()];
      const changed = { [textField]: `changed ${newSeed()}` };
      const write = { ...call, recordId: record };
      idOf(await update({ ...write, fields: changed, associations: [linked.association(first)] }));
      idOf(await update({ ...write, fields: {}, associations: [linked.association(second)] }));
      await assertLinked(record, first);
      await assertLinked(record, second);
    }),
    toTest('associations: a target that is not there leaves the update, and says so', async () => {
      const recordId = await newRecord();
      const associations = [linked.association(harness.absentId)];
      const result = await update({ ...call, recordId, fields: { [textField]: `changed ${newSeed()}` }, associations });
      assert.ok(result.ok && result.warnings?.length === 1, JSON.stringify(result));
    }),
  );
  if (updateBatch) {
    cases.push(
      toTest('associations: of a batch update, one bad target does not cost the others theirs', async () => {
        const records = [await newRecord(), await newRecord(), await newRecord()];
        const targets = [await newTarget(), harness.absentId, await newTarget()];
        const results = await updateBatch({
          ...call,
          records: records.map((recordId, at) => ({
            recordId,
            fields: { [textField]: `changed ${newSeed()}` },
            associations: [linked.association(String(targets[at]))],
          })),
        });
        assert.deepEqual(
          results.map((result) => result.ok && (result.warnings?.length ?? 0)),
          [0, 1, 0],
        );
        await assertLinked(String(records[0]), String(targets[0]));
        await assertLinked(String(records[2]), String(targets[2]));
      }),
    );
  }
  return cases;
}
