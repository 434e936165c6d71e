import { ProviderError } from '@sluice/errors';
import * as fc from 'fast-check';
import { captureSalesforce } from '../../test/captured-calls';
import { hostileText } from '../../test/hostile-texts';
import { auth, field, soqlOf } from '../../test/salesforce-replies';
import { readSoql, type ReadLiteral } from '../../test/soql-reader';

const texts = ['string', 'textarea', 'picklist', 'email'] as const;
const types = [...texts, 'boolean', 'int', 'double', 'date', 'datetime', 'reference'] as const;
type Type = (typeof types)[number];

/** A Contact with a field of each type under a name of its own, and one that leads to the Account. */
const description = {
  name: 'Contact',
  fields: [
    ...types.map((type) => field(`${type}__c`, type)),
    field('AccountId', 'reference', { referenceTo: ['Account'], relationshipName: 'Account' }),
  ],
};
const account = { name: 'Account', fields: [field('Name')] };

const { connector, taken } = captureSalesforce(({ path }) => {
  if (path.endsWith('/Account/describe')) return account;
  return path.endsWith('/describe') ? description : { totalSize: 0, done: true, records: [] };
});
const call = { auth, objectName: 'Contact' };

/** The SOQL of a search, or undefined where it was refused before a query. */
async function queryOf(filters: readonly { field: string; value: string }[]): Promise<string | undefined> {
  let refusal: unknown;
  try {
    await connector.search({ ...call, filters, fields: ['string__c'], limit: 10 });
  } catch (error) {
    refusal = error;
  }
  const queries = taken().flatMap(({ path }) => soqlOf(path) ?? []);
  const isRefused = refusal instanceof ProviderError && refusal.class === 'rejected';
  if (refusal !== undefined && (!isRefused || queries.length > 0))
    throw new Error('refused, but not before a query', { cause: refusal });
  return queries[0];
}

/** What a filter means, by the type of its field; undefined where it is no value of that type. */
function meant(type: Type, value: string): ReadLiteral | undefined {
  const text = value.trim();
  const bare = (form: RegExp): ReadLiteral | undefined => (form.test(text) ? { kind: 'bare', value: text } : undefined);
  if (type === 'boolean') return /^(true|false)$/i.test(text) ? { kind: 'bare', value: text.toLowerCase() } : undefined;
  if (type === 'int') return bare(/^-?\d{1,18}$/);
  if (type === 'double') return bare(/^-?\d{1,20}(\.\d{1,20})?$/);
  if (type === 'reference')
    return /^[A-Za-z0-9]{15}([A-Za-z0-9]{3})?$/.test(text) ? { kind: 'text', value: text } : undefined;
  // Of moments and days only the forms below are generated as valid ones.
  if (type === 'date') return bare(/^2026-0[1-9]-1[0-9]$/);
  if (type === 'datetime') return bare(/^2026-0[1-9]-1[0-9]T10:00:00Z$/);
  return { kind: 'text', value };
}

const valid = ['true', 'FALSE', ' 7 ', '-12.5', '2026-03-14', '2026-03-14T10:00:00Z', '003ak00000000AAAAA'];
const filter = fc.oneof(
  { arbitrary: fc.record({ type: fc.constantFrom(...texts), value: hostileText }), weight: 18 },
  { arbitrary: fc.record({ type: fc.constantFrom(...types), value: fc.constantFrom(...valid) }), weight: 2 },
  { arbitrary: fc.record({ type: fc.constantFrom(...types), value: hostileText }), weight: 1 },
);

// What is found in the query is what was asked for, and nothing else: for at least 10,000 values.
test('[sec-25] the SOQL of any values reads back as the same filters', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(filter, { minLength: 1, maxLength: 6 }), async (filters) => {
      const where = filters.map(({ type, value }) => ({ field: `${type}__c`, values: [meant(type, value)] }));
      const soql = await queryOf(filters.map(({ type, value }) => ({ field: `${type}__C`, value })));
      const isAsked = where.every(({ values }) => values[0] !== undefined);
      if (isAsked) found += where.length;
      const asked = { fields: ['Id', 'string__c'], from: 'Contact', where, limit: 11 };
      expect(soql === undefined ? undefined : readSoql(soql)).toEqual(isAsked ? asked : undefined);
      expect(soql?.isWellFormed() ?? true).toBe(true);
    }),
    { numRuns: 6_000 },
  );
  expect(found).toBeGreaterThan(10_000);
});

test('[sec-25] a name of a field is one of the account, or no query is made', async () => {
  const names = new Set([...description.fields.map(({ name }) => name.toLowerCase()), 'account.name']);
  await fc.assert(
    fc.asyncProperty(hostileText, async (name) => {
      const soql = await queryOf([{ field: name, value: 'x' }]);
      expect(soql === undefined || names.has(name.toLowerCase())).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  expect(readSoql((await queryOf([{ field: 'ACCOUNT.name', value: "O'Hara" }])) ?? '').where).toEqual([
    { field: 'Account.Name', values: [{ kind: 'text', value: "O'Hara" }] },
  ]);
});

test('[sec-26] [sec-27] no object name and no record id adds a segment to a path', async () => {
  const objectForm = /^[A-Za-z]\w{0,79}$/;
  const idForm = /^[A-Za-z0-9]{15}([A-Za-z0-9]{3})?$/;
  const names = fc.oneof(
    hostileText,
    fc.constantFrom('Contact', 'My_Object__c', '003ak00000000AAAAA', '003ak00000000AA'),
  );
  await fc.assert(
    fc.asyncProperty(names, names, async (objectName, recordId) => {
      await connector.update({ auth, objectName, recordId, fields: { LastName: 'x' } });
      await connector.delete({ auth, objectName, recordId });
      const path = `/services/data/v66.0/sobjects/${objectName}/${recordId}`;
      const isFine = objectForm.test(objectName) && idForm.test(recordId);
      expect(taken().map((each) => each.path)).toEqual(isFine ? [path, path] : []);
    }),
    { numRuns: 2_000 },
  );
});
