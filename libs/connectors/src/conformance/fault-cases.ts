import assert from 'node:assert/strict';
import { classOf, newSeed, toTest, within } from './expectations';
import type { ConformanceCase, ConnectorHarness, Fault } from './harness';

export function faultCases(
  harness: ConnectorHarness,
  fault: NonNullable<ConnectorHarness['fault']>,
): ConformanceCase[] {
  const { connector, auth, objectName } = harness;
  const { create, createBatch, findCreated } = connector;
  const call = { auth, objectName };
  const cases: ConformanceCase[] = [];
  const expectCreate = (kind: Fault, expected: readonly string[], written: number) =>
    create &&
    toTest(`create, ${kind}: ${expected.join(' or ')}`, async () => {
      const fields = harness.fields(newSeed());
      await fault(kind);
      const result = await create({ ...call, fields });
      assert.ok(expected.includes(classOf(result)), classOf(result));
      assert.equal(await harness.count(fields), written);
    });
  cases.push(
    ...[
      expectCreate('commit-then-reset', ['unknown'], 1),
      expectCreate('reset-before-commit', ['unknown'], 0),
      expectCreate('quota', ['quota'], 0),
      // Somewhere else is not the provider, and what cannot be read is no evidence.
      expectCreate('redirect', ['unknown'], 0),
      expectCreate('unreadable', ['unknown'], 1),
      // Where a second create would make a second record, a refusal that may come too late is not believed.
      expectCreate('unavailable', harness.isUnique ? ['unavailable'] : ['unavailable', 'unknown'], 0),
    ].filter((each) => each !== undefined),
  );
  if (createBatch && findCreated) {
    cases.push(
      toTest('batch create, commit-then-reset: every record in doubt, every record found', async () => {
        const since = new Date();
        const all = Array.from({ length: 3 }, () => harness.fields(newSeed()));
        await fault('commit-then-reset');
        const results = await createBatch({ ...call, records: all.map((fields) => ({ fields })) });
        assert.deepEqual(results.map(classOf), ['unknown', 'unknown', 'unknown']);
        await within(connector.visibilityMs(objectName, all[0] ?? {}), async () => {
          const found = await findCreated({ ...call, records: all.map((fields) => ({ fields, since })) });
          assert.deepEqual(
            found.map(({ kind }) => kind),
            ['found', 'found', 'found'],
          );
        });
      }),
    );
  }
  return cases;
}
