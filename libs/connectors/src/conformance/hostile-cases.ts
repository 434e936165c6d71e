import assert from 'node:assert/strict';
import { ProviderError } from '@sluice/errors';
import type { Fields } from '../requests';
import type { RecordPage } from '../results';
import {
  assertCount,
  type ConformanceCase,
  type ConnectorHarness,
  classOf,
  hasClass,
  idOf,
  newSeed,
  toTest,
} from './harness';

/** Ids that would lead to another address if one stood in a path as it is. Source: reliability checklist, items 26, 27. */
const ids = [
  '../batch/archive',
  '..',
  'a/b',
  '%2e%2e%2fx',
  'x?y=1',
  'x#y',
  ' ',
  'a\r\nb',
  'a\u0000',
  'x;y',
  "1' OR '1'='1",
  'é',
];

/** Values that end a string in some grammar, or look like a part of it. Source: reliability checklist, item 25. */
const values = [
  "' OR Name LIKE '%",
  "\\' OR 1=1 --",
  '\\u0027',
  '" OR "" = "',
  '") or email:*',
  'x) OR (y:equals:z',
  'a\nb',
  'a\u0000b',
  '*',
  '%',
  '${1+1}',
  '<script>',
  '\ud800',
];

/** Names of objects and of fields that are none, or of something that every object has. Source: reliability checklist, items 25, 26, 30. */
const names = [
  '',
  '..',
  '../batch/archive',
  'a/b',
  '%2e%2e%2fx',
  'x?y=1',
  'x#y',
  'Id FROM User--',
  "a' = 'a",
  'a"b',
  'a\\b',
  'a\nb',
  'a\u0000b',
  '\\u0061',
  'a.b.c',
  '__proto__',
  'constructor',
];

/**
 * What nobody sends by mistake: refused, or taken as a plain value, and never anything else. A real provider is only searched so: a write that
 * went to another address would do harm.
 */
export function hostileCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, markField, textField, fault } = harness;
  const { create, update, search, delete: remove } = connector;
  const call = { auth, objectName };
  const cases: ConformanceCase[] = [];
  if (create && update && fault) {
    cases.push(
      toTest('hostile: an id that is none is of no record', async () => {
        const fields = harness.fields(newSeed());
        idOf(await create({ ...call, fields }));
        for (const recordId of ids) {
          const result = await update({ ...call, recordId, fields: { [textField]: 'x' } });
          assert.ok(['rejected', 'not-found'].includes(classOf(result)), `${recordId}: ${classOf(result)}`);
          const removed = await remove?.({ ...call, recordId });
          assert.ok(!removed || removed.ok || ['rejected', 'not-found'].includes(classOf(removed)), recordId);
        }
        await assertCount(harness, fields, 1);
      }),
    );
  }
  if (create && fault) {
    cases.push(
      toTest('hostile: credentials that no header can carry are refused, and nothing is written', async () => {
        const fields = harness.fields(newSeed());
        for (const accessToken of ['', 'a b', 'a\r\nx-evil: 1', 'é']) {
          assert.equal(classOf(await create({ ...call, auth: { ...auth, accessToken }, fields })), 'credentials');
        }
        assert.equal(await harness.count(fields), 0);
      }),
      toTest('hostile: an object that is none is refused, whatever is asked of it', async () => {
        for (const name of names) {
          const of = { auth, objectName: name };
          const written = await create({ ...of, fields: { [textField]: 'x' } });
          assert.ok(['rejected', 'not-found'].includes(classOf(written)), `${name}: ${JSON.stringify(written)}`);
          const changed = await update?.({ ...of, recordId: harness.absentId, fields: { [textField]: 'x' } });
          assert.ok(
            !changed || ['rejected', 'not-found'].includes(classOf(changed)),
            `${name}: ${JSON.stringify(changed)}`,
          );
          const filters = [{ field: textField, value: 'x' }];
          for (const read of [
            () => search?.({ ...of, filters, fields: [textField], limit: 10 }),
            () => connector.describe?.(of),
            () => connector.readBatch?.({ ...of, ids: [harness.absentId], fields: [textField] }),
          ]) {
            const result: unknown = await read()?.catch((error: unknown) => error);
            const isReported = result === undefined || hasClass(result, 'rejected') || hasClass(result, 'not-found');
            assert.ok(isReported, `${name}: ${String(read)}: ${JSON.stringify(result)} ${String(result)}`);
          }
        }
      }),
      toTest('hostile: a field that is none is refused and nothing is written, or a warning names it', async () => {
        for (const name of names) {
          const fields = harness.fields(newSeed());
          // Defined, because an assignment of __proto__ makes no member.
          const hostile = Object.defineProperty({ ...fields }, name, { value: 'x', enumerable: true });
          const result = await create({ ...call, fields: hostile });
          const isNamed = result.ok && result.warnings?.some((text) => text.includes(name)) === true;
          assert.ok(isNamed || classOf(result) === 'rejected', `${name}: ${JSON.stringify(result)}`);
          await assertCount(harness, fields, isNamed ? 1 : 0);
        }
        assert.equal(({} as Fields)['x'], undefined);
      }),
    );
  }
  if (create && search) {
    cases.push(
      toTest('hostile: a value that ends a string finds nothing, or is refused', async () => {
        const fields = harness.fields(newSeed());
        idOf(await create({ ...call, fields }));
        for (const value of values) {
          const filters = [{ field: markField, value }];
          const asked = search({ ...call, filters, fields: [textField], limit: 10 });
          const found: RecordPage = await asked.catch(refusal);
          assert.deepEqual(found.records, [], value);
        }
        await assertCount(harness, fields, 1);
      }),
      toTest('hostile: a field name that is none is refused', async () => {
        for (const field of names) {
          const filters = [{ field, value: 'x' }];
          const asked = search({ ...call, filters, fields: [textField], limit: 10 });
          await assert.rejects(asked, ProviderError, field);
        }
      }),
    );
  }
  return cases;
}

function refusal(error: unknown): RecordPage {
  assert.ok(error instanceof ProviderError && error.class === 'rejected', String(error));
  return { records: [], hasMore: false };
}
