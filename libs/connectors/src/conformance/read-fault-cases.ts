import assert from 'node:assert/strict';
import { ProviderError } from '@sluice/errors';
import { idOf, newSeed, toTest } from './expectations';
import type { ConformanceCase, ConnectorHarness, Fault } from './harness';

/** What a read may say of each fault. Nothing depends on whether a read was carried out, so `unknown` is as good as `unavailable`. */
const told: readonly (readonly [Fault, readonly string[]])[] = [
  ['quota', ['quota']],
  ['unavailable', ['unavailable', 'unknown']],
  ['reset-before-commit', ['unavailable', 'unknown']],
  ['redirect', ['unavailable', 'unknown']],
  ['unreadable', ['unavailable', 'unknown']],
];

/** Reads that meet a fault say so: a page without rows, a record that is not there and a refused token are answers of a provider. */
export function readFaultCases(
  harness: ConnectorHarness,
  fault: NonNullable<ConnectorHarness['fault']>,
): ConformanceCase[] {
  const { connector, auth, objectName, textField } = harness;
  const { create, readBatch, search, workspace } = connector;
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
        return () => readBatch({ ...call, ids: [id], fields: [textField] });
      }),
    search:
      search &&
      (async () => {
        const { fields } = await made();
        const filters = [{ field: textField, value: String(fields[textField]) }];
        return () => search({ ...call, filters, fields: [textField], limit: 10 });
      }),
  };
  return Object.entries(reads).flatMap(([name, prepare]) =>
    (prepare ? told : []).map(([kind, classes]) =>
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
