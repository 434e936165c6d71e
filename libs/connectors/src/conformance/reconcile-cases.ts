import assert from 'node:assert/strict';
import { idOf, newSeed, toTest, within } from './expectations';
import type { ConformanceCase, ConnectorHarness } from './harness';

export function reconcileCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, fields: fieldsOf, isUnique } = harness;
  const { create, findCreated } = connector;
  if (!create || !findCreated) return [];
  const call = { auth, objectName };
  return [
    toTest('reconciliation: finds its own record, and not one that was never created', async () => {
      const since = new Date();
      const [fields, never] = [fieldsOf(newSeed()), fieldsOf(newSeed())];
      const recordId = idOf(await create({ ...call, fields }));
      const visibleMs = connector.visibilityMs(objectName, fields);
      assert.equal(visibleMs === 0, isUnique);
      await within(visibleMs, async () => {
        const [found, none] = await findCreated({
          ...call,
          records: [
            { fields, since },
            { fields: never, since },
          ],
        });
        assert.deepEqual(found?.kind === 'found' && found.matches.map((match) => match.recordId), [recordId]);
        assert.deepEqual(none, { kind: 'none', consistent: isUnique });
      });
    }),
    toTest('reconciliation: a record that was there before is not ours', async () => {
      const fields = fieldsOf(newSeed());
      idOf(await create({ ...call, fields }));
      const since = new Date(Date.now() + 60_000);
      const [found] = await findCreated({ ...call, records: [{ fields, since }] });
      assert.equal(found?.kind, 'none');
    }),
    toTest('reconciliation: equal creates have equal fingerprints, others have not', async () => {
      const fields = fieldsOf(newSeed());
      const turned = Object.fromEntries(Object.entries(fields).reverse());
      assert.equal(connector.fingerprint(objectName, fields), connector.fingerprint(objectName, turned));
      assert.notEqual(
        connector.fingerprint(objectName, fields),
        connector.fingerprint(objectName, fieldsOf(newSeed())),
      );
    }),
  ];
}
