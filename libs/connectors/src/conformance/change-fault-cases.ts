import assert from 'node:assert/strict';
import { classOf, idOf, newSeed, toTest } from './expectations';
import type { Fields } from '../requests';
import type { RecordResult } from '../results';
import type { ConformanceCase, ConnectorHarness, Fault } from './harness';

/** What a write to a record that is there may say of each fault, and whether it was carried out all the same. */
const told: readonly (readonly [Fault, readonly string[], boolean])[] = [
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

/** Updates and deletes that meet a fault: told as what it was, and sent once more they end as if it had not been. */
export function changeFaultCases(
  harness: ConnectorHarness,
  fault: NonNullable<ConnectorHarness['fault']>,
): ConformanceCase[] {
  const { connector, auth, objectName, textField } = harness;
  const { create, update, updateBatch, delete: remove } = connector;
  if (!create) return [];
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
    (write ? told : []).map(([kind, classes, isApplied]) =>
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
