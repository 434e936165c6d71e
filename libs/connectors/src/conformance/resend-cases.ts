import assert from 'node:assert/strict';
import { classOf, idOf, newSeed, toTest } from './expectations';
import type { ConformanceCase, ConnectorHarness } from './harness';

/** Creates that are sent again because nobody saw what became of the first send. */
export function resendCases(
  harness: ConnectorHarness,
  fault: NonNullable<ConnectorHarness['fault']>,
): ConformanceCase[] {
  const { connector, auth, objectName, isResendSafe = false } = harness;
  const { create, createBatch } = connector;
  if (!isResendSafe || !create) return [];
  const call = { auth, objectName };
  const cases = [
    toTest('resend: of a create that was carried out makes no second record', async () => {
      const fields = harness.fields(newSeed());
      await fault('commit-then-reset');
      assert.equal(classOf(await create({ ...call, fields })), 'unknown');
      const again = await create({ ...call, fields, isResend: true });
      assert.ok(again.ok || again.error.class === 'conflict', JSON.stringify(again));
      assert.equal(await harness.count(fields), 1);
    }),
    toTest('resend: of a create that was not carried out makes the record', async () => {
      const fields = harness.fields(newSeed());
      await fault('reset-before-commit');
      assert.equal(classOf(await create({ ...call, fields })), 'unknown');
      idOf(await create({ ...call, fields, isResend: true }));
      assert.equal(await harness.count(fields), 1);
    }),
  ];
  if (!createBatch) return cases;
  return [
    ...cases,
    toTest('resend: of a batch that was carried out makes no second records', async () => {
      const all = Array.from({ length: 3 }, () => harness.fields(newSeed()));
      const records = all.map((fields) => ({ fields }));
      await fault('commit-then-reset');
      assert.deepEqual((await createBatch({ ...call, records })).map(classOf), ['unknown', 'unknown', 'unknown']);
      const again = await createBatch({ ...call, records, isResend: true });
      for (const result of again) assert.ok(result.ok || result.error.class === 'conflict', JSON.stringify(result));
      for (const fields of all) assert.equal(await harness.count(fields), 1);
    }),
  ];
}
