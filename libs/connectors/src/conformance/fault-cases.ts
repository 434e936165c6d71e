import assert from 'node:assert/strict';
import { ProviderError } from '@sluice/errors';
import type { Fields } from '../requests';
import type { RecordResult } from '../results';
import {
  assertCount,
  type ConformanceCase,
  type ConnectorHarness,
  type Fault,
  classOf,
  idOf,
  newSeed,
  toTest,
  within,
} from './harness';

export function faultCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, fault } = harness;
  const { create, createBatch, findCreated } = connector;
  if (!fault) return [];
  const call = { auth, objectName };
  const cases: ConformanceCase[] = [];
  const expectCreate = (kind: Fault, expected: readonly string[], written: number) =>
    create &&
    toTest(`create, ${kind}: ${expected.join(' or ')}`, async () => {
      const fields = harness.fields(newSeed());
      await fault(kind);
      const result = await create({ ...call, fields });
      assert.ok(expected.includes(classOf(result)), classOf(result));
      await assertCount(harness, fields, written);
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
      expectCreate('unavailable', harness.uniqueField !== undefined ? ['unavailable'] : ['unavailable', 'unknown'], 0),
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

/** What a write to a record that is there may say of each fault, and whether it was carried out all the same. */
const changeOutcomes: readonly (readonly [Fault, readonly string[], boolean])[] = [
  ['commit-then-reset', ['unknown'], true],
  ['unreadable', ['unknown'], true],
  ['reset-before-commit', ['unknown'], false],
  ['redirect', ['unknown'], false],
  ['quota', ['quota'], false],
  ['unavailable', ['unavailable', 'unknown'], false],
];

interface Change {
  readonly fields: Fields;
  readonly recordId: string;
  readonly change: Fields;
}

/** Updates and deletes that meet a fault: they report what it was, and sent once more they end as if it had not been. */
export function changeFaultCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, textField, fault } = harness;
  const { create, update, updateBatch, delete: remove } = connector;
  if (!create || !fault) return [];
  const call = { auth, objectName };
  const made = async (): Promise<Change> => {
    const fields = harness.fields(newSeed());
    const recordId = idOf(await create({ ...call, fields }));
    return { fields, recordId, change: { [textField]: `changed ${newSeed()}` } };
  };
  const writes: Readonly<Record<string, ((it: Change) => Promise<RecordResult | undefined>) | undefined>> = {
    update: update && (({ recordId, change }) => update({ ...call, recordId, fields: change })),
    'batch update':
      updateBatch &&
      (async ({ recordId, change }) => (await updateBatch({ ...call, records: [{ recordId, fields: change }] }))[0]),
    delete: remove && (({ recordId }) => remove({ ...call, recordId })),
  };
  return Object.entries(writes).flatMap(([name, write]) =>
    (write ? changeOutcomes : []).map(([kind, classes, isApplied]) =>
      toTest(`${name}, ${kind}: ${classes.join(' or ')}`, async () => {
        const it = await made();
        const after = { ...it.fields, ...(name !== 'delete' && it.change) };
        const isCarriedOut = async () => (await harness.count(after)) === (name === 'delete' ? 0 : 1);
        await fault(kind, 'any');
        const failed = await write?.(it);
        // A success that has no body cannot be made unreadable.
        const isBodiless = kind === 'unreadable' && failed?.ok === true;
        assert.ok(isBodiless || classes.includes(classOf(failed)), JSON.stringify(failed));
        assert.equal(await isCarriedOut(), isApplied);
        const again = await write?.(it);
        assert.ok(again?.ok || (name === 'delete' && classOf(again) === 'not-found'), JSON.stringify(again));
        assert.ok(await isCarriedOut());
      }),
    ),
  );
}

/** What a read may say of each fault. Nothing depends on whether a read was carried out, so `unknown` is as good as `unavailable`. */
const readOutcomes: readonly (readonly [Fault, readonly string[]])[] = [
  ['quota', ['quota']],
  ['unavailable', ['unavailable', 'unknown']],
  ['reset-before-commit', ['unavailable', 'unknown']],
  ['redirect', ['unavailable', 'unknown']],
  ['unreadable', ['unavailable', 'unknown']],
];

/** Reads that meet a fault say so: a page without rows, a record that is not there and a refused token are answers of a provider. */
export function readFaultCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, markField, fault } = harness;
  const { create, readBatch, search, workspace } = connector;
  if (!fault) return [];
  const call = { auth, objectName };
  const made = async () => {
    const fields = harness.fields(newSeed());
    return { fields, id: create ? idOf(await create({ ...call, fields })) : harness.absentId };
  };
  const reads: Readonly<Record<string, (() => Promise<() => Promise<unknown>>) | undefined>> = {
    workspace: async () => () => workspace({ auth }),
    'batch read':
      readBatch &&
      (async () => {
        const { id } = await made();
        return () => readBatch({ ...call, ids: [id], fields: [markField] });
      }),
    search:
      search &&
      (async () => {
        const { fields } = await made();
        const filters = [{ field: markField, value: String(fields[markField]) }];
        return () => search({ ...call, filters, fields: [markField], limit: 10 });
      }),
  };
  return Object.entries(reads).flatMap(([name, prepare]) =>
    (prepare ? readOutcomes : []).map(([kind, classes]) =>
      toTest(`${name}, ${kind}: ${classes.join(' or ')}`, async () => {
        const read = (await prepare?.()) ?? (() => Promise.resolve());
        await fault(kind, 'any');
        await assert.rejects(read, (error) => {
          assert.ok(error instanceof ProviderError, String(error));
          assert.ok(classes.includes(error.class), `${error.class}: ${error.detail}`);
          return true;
        });
      }),
    ),
  );
}
