import assert from 'node:assert/strict';
import { hasClass, toTest } from './expectations';
import type { ConformanceCase, ConnectorHarness } from './harness';

export function describeCases({ connector, ...harness }: ConnectorHarness): ConformanceCase[] {
  const { describe } = connector;
  if (!describe) return [];
  const { auth, badAuth, objectName, textField, describesFromFile = false } = harness;
  const asksAccount = toTest('describe: refused credentials are told as such', async () => {
    await assert.rejects(describe({ auth: badAuth, objectName }), (error) => hasClass(error, 'credentials'));
  });
  return [
    toTest('describe: the fields of the account, each under its own name', async () => {
      const { name, fields } = await describe({ auth, objectName });
      assert.match(name, /./);
      for (const [key, { fieldName, displayName }] of Object.entries(fields)) {
        assert.equal(key, fieldName);
        assert.match(displayName, /./);
      }
      assert.equal(fields[textField]?.valueType, 'string');
      assert.notEqual(fields[textField]?.readOnly, true);
      for (const sent of Object.keys(harness.fields('any'))) assert.ok(Object.hasOwn(fields, sent), sent);
    }),
    toTest('describe: no such object', async () => {
      const asked = describe({ auth, objectName: 'butterflies' });
      await assert.rejects(asked, (error) => hasClass(error, 'rejected') || hasClass(error, 'not-found'));
    }),
    ...(describesFromFile ? [] : [asksAccount]),
  ];
}
