import assert from 'node:assert/strict';
import type { ProviderError } from '@sluice/errors';
import { allRead } from '../results';
import { type ConformanceCase, type ConnectorHarness, hasClass, idOf, newSeed, toTest, within } from './harness';

export function readCases({
  connector,
  auth,
  objectName,
  markField,
  absentId,
  visibleWithinMs = 0,
  fields: fieldsOf,
}: ConnectorHarness): ConformanceCase[] {
  const { create, readBatch, search, capabilities } = connector;
  const call = { auth, objectName };
  const cases: ConformanceCase[] = [];
  if (create && readBatch) {
    cases.push(
      toTest('batch read: aligned with the ids, undefined for what is not there', async () => {
        const fields = fieldsOf(newSeed());
        const id = idOf(await create({ ...call, fields }));
        const reads = await readBatch({ ...call, ids: [absentId, id, id], fields: [markField] });
        const records = allRead(reads);
        assert.deepEqual(
          records.map((record) => record?.id),
          [undefined, id, id],
        );
        assert.equal(records[1]?.fields[markField], fields[markField]);
      }),
    );
  }
  if (create && search) {
    cases.push(
      toTest('search: finds by equality, once the index has it', async () => {
        const fields = fieldsOf(newSeed());
        const id = idOf(await create({ ...call, fields }));
        const filters = [{ field: markField, value: String(fields[markField]) }];
        await within(Math.max(capabilities.lateCommitMs, visibleWithinMs), async () => {
          const { records } = await search({ ...call, filters, fields: [markField], limit: 10 });
          assert.deepEqual(
            records.map((record) => record.id),
            [id],
          );
        });
      }),
      toTest('search: a field that is not there is refused, with its name', async () => {
        const filters = [{ field: 'no_such_field', value: 'x' }];
        await assert.rejects(
          search({ ...call, filters, fields: [markField], limit: 10 }),
          (error) => hasClass(error, 'rejected') && (error as ProviderError).detail.includes('no_such_field'),
        );
      }),
    );
  }
  return cases;
}

export function reconcileCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, fields: fieldsOf, isConsistent = harness.uniqueField !== undefined } = harness;
  const { create, findCreated } = connector;
  if (!create || !findCreated) return [];
  const call = { auth, objectName };
  return [
    toTest('reconciliation: finds its own record, and not one that was never created', async () => {
      const since = new Date();
      const [fields, never] = [fieldsOf(newSeed()), fieldsOf(newSeed())];
      const recordId = idOf(await create({ ...call, fields }));
      const visibleMs = connector.visibilityMs(objectName, fields);
      assert.equal(visibleMs === 0, isConsistent);
      await within(visibleMs, async () => {
        const [found, none] = await findCreated({
          ...call,
          records: [
            { fields, since },
            { fields: never, since },
          ],
        });
        assert.deepEqual(found?.kind === 'found' && found.matches.map((match) => match.recordId), [recordId]);
        assert.deepEqual(none, { kind: 'none', consistent: isConsistent });
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
