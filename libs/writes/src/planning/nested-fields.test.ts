import type { FieldCapabilities } from '@sluice/connectors';
import { ValidationError } from '@sluice/errors';
import { fieldSteps, nestedField, type WriteRecord } from '@sluice/types';
import { contactsInstallation, exactFields, planWrite, type ContactSettings } from '../../test/builders';

const tier = "$['properties']['tier']";
const plan = "$['properties']['plan']";
const deep = "$['address']['geo']['lat']";
/** A provider whose records hold no objects. */
const flat: FieldCapabilities = {
  ...exactFields,
  fieldOf: (_, name) => (fieldSteps(name).length === 1 ? nestedField(name) : undefined),
  pathRule: 'leads nowhere here',
};

const mapped: ContactSettings = {
  inherits: true,
  declared: {
    requiredFields: [
      { fieldName: tier, mapToName: 'tier' },
      { fieldName: plan, mapToName: 'plan' },
      { fieldName: deep, mapToName: 'latitude' },
      { fieldName: "$['email']", mapToName: 'mail' },
    ],
  },
  read: { selectedValueMappings: { [tier]: { best: 'gold' } } },
};

function planned(settings: ContactSettings, record: WriteRecord, provider = exactFields) {
  const context = contactsInstallation(settings);
  return planWrite(context, provider, { type: 'create', objectName: 'contacts', record, path: 'record' });
}
const fieldsOf = (...given: Parameters<typeof planned>) => planned(...given).plan.fields;
function issuesOf(...given: Parameters<typeof planned>) {
  try {
    planned(...given);
  } catch (error) {
    if (error instanceof ValidationError) return error.issues.map(({ name, detail }) => [name, detail]);
  }
  throw new Error('it was not refused');
}

it('fields of one parent are one object, at any depth, beside what the record has there', () => {
  const record = { mail: 'a@b.c', tier: 'best', plan: 'pro', latitude: 47.4, properties: { since: 2019 } };
  expect(fieldsOf(mapped, record)).toEqual({
    email: 'a@b.c',
    properties: { since: 2019, tier: 'gold', plan: 'pro' },
    address: { geo: { lat: 47.4 } },
  });
});

it("the provider's own name leads there too, and a null is a value", () => {
  expect(fieldsOf({}, { [plan]: null, [tier]: 'x' })).toEqual({ properties: { plan: null, tier: 'x' } });
});

it('settings and defaults hold for the field under both names, and what the record has goes before a default', () => {
  const settings: ContactSettings = {
    ...mapped,
    write: {
      selectedFieldSettings: {
        tier: { default: { stringValue: 'basic' } },
        plan: { writeOnCreate: 'never' },
      },
    },
  };
  expect(fieldsOf(settings, { mail: 'x', plan: 'pro' })).toEqual({ email: 'x', properties: { tier: 'basic' } });
  const { plan: kept, decisions } = planned(settings, { properties: { tier: 'own' } });
  expect(kept.fields).toEqual({ properties: { tier: 'own' } });
  expect(decisions).toContainEqual(expect.objectContaining({ field: 'tier', sent: false }));
});

it.each<[string, WriteRecord, string]>([
  ['a part beside another value of it', { tier: 'a', properties: { tier: 'b' } }, 'record.tier'],
  ['a part of what is no object', { tier: 'a', properties: 'b' }, 'record.tier'],
  ['a part of a list', { tier: 'a', properties: ['b'] }, 'record.tier'],
  ['both names of a part', { tier: 'a', [tier]: 'b' }, `record["${tier}"]`],
])('refuses %s', (_, record, name) => {
  expect(issuesOf(mapped, record).map(([at]) => at)).toEqual([name]);
});

it.each([
  '$.a.b',
  "$['a'][0]",
  "$['a'][*]",
  '$..a',
  '$["a"]',
  "$['a\\'b']",
  "$['__proto__']['a']",
  "$['a']['constructor']",
])('%s is no name of a field', (name) => {
  expect(issuesOf({}, { [name]: 'x' })).toHaveLength(1);
});

it('a provider without objects in its records refuses the path, of a mapping and of a request', () => {
  expect(issuesOf(mapped, { tier: 'a' }, flat)).toEqual([['record.tier', 'leads nowhere here']]);
  expect(issuesOf({}, { [tier]: 'a' }, flat)).toEqual([[`record["${tier}"]`, 'leads nowhere here']]);
  expect(fieldsOf(mapped, { mail: 'x' }, flat)).toEqual({ email: 'x' });
});

it('a mapped name may be a path, which the record then has as an object', () => {
  const settings: ContactSettings = {
    inherits: true,
    declared: {
      requiredFields: [
        { fieldName: 'city', mapToName: "$['address']['city']" },
        { fieldName: tier, mapToName: "$['account']['tier']" },
      ],
    },
  };
  const record = { address: { city: 'Bern', zip: '3000' }, account: { tier: 'gold' }, email: 'a@b.c' };
  expect(fieldsOf(settings, record)).toEqual({
    address: { zip: '3000' },
    city: 'Bern',
    properties: { tier: 'gold' },
    email: 'a@b.c',
  });
});
