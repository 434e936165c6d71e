import assert from 'node:assert/strict';
import type { ProviderError } from '@sluice/errors';
import { allRead } from '../results';
import { hasClass, idOf, newSeed, toTest, within } from './expectations';
import type { ConformanceCase, ConnectorHarness } from './harness';

export function readCases({
  connector,
  auth,
  objectName,
  textField,
  absentId,
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
        const reads = await readBatch({ ...call, ids: [absentId, id, id], fields: [textField] });
        const records = allRead(reads);
        assert.deepEqual(
          records.map((record) => record?.id),
          [undefined, id, id],
        );
        assert.equal(records[1]?.fields[textField], fields[textField]);
      }),
    );
  }
  if (create && search) {
    cases.push(
      toTest('search: finds by equality, once the index has it', async () => {
        const fields = fieldsOf(newSeed());
        const id = idOf(await create({ ...call, fields }));
        const filters = [{ field: textField, value: String(fields[textField]) }];
        await within(capabilities.lateCommitMs, async () => {
          const records = await search({ ...call, filters, fields: [textField], limit: 10 });
          assert.deepEqual(
            records.map((record) => record.id),
            [id],
          );
        });
      }),
      toTest('search: a field that is not there is refused, with its name', async () => {
        const filters = [{ field: 'no_such_field', value: 'x' }];
        await assert.rejects(
          search({ ...call, filters, fields: [textField], limit: 10 }),
          (error) => hasClass(error, 'rejected') && (error as ProviderError).detail.includes('no_such_field'),
        );
      }),
    );
  }
  return cases;
}
