import type { HubspotError } from './errors';
import { recordIds } from './hubspot';
import { objectTypeNamed } from './objects';
import { PortalData } from './portal-data';
import { checkValues, readProperties, requireWritable, type Values } from './properties';

const data = new PortalData(recordIds());
const contacts = objectTypeNamed('contacts');

/** The problems inside the message of a refusal. */
const problemsIn = (refusal: HubspotError | undefined): unknown =>
  refusal && JSON.parse(refusal.fields.message.replace('Property values were not valid: ', ''));

function refusalOfNames(values: Values): HubspotError | undefined {
  try {
    requireWritable(contacts, [{ values }]);
    return undefined;
  } catch (error) {
    return error as HubspotError;
  }
}

describe('a value as it is stored', () => {
  it.each([
    ['text', 'text'],
    [12.5, '12.5'],
    [true, 'true'],
    [null, ''],
    [undefined, ''],
  ])('%p becomes %p', (sent, stored) => {
    expect(readProperties({ properties: { phone: sent } })).toEqual({ phone: stored });
  });

  it.each([[{ a: 1 }], [['a']]])('refuses %p', (sent) => {
    expect(() => readProperties({ properties: { phone: sent } })).toThrow(
      'Cannot deserialize value of type `java.lang.String`',
    );
  });
});

describe('the check of names', () => {
  it.each([
    ['shoe_size', 'PROPERTY_DOESNT_EXIST', 'Property "shoe_size" does not exist'],
    ['hs_object_id', 'READ_ONLY_VALUE', '"hs_object_id" is a read only property; its value cannot be set.'],
    ['constructor', 'PROPERTY_DOESNT_EXIST', 'Property "constructor" does not exist'],
  ])('%s is %s', (name, error, message) => {
    expect(problemsIn(refusalOfNames({ [name]: 'x' }))).toEqual([{ isValid: false, message, error, name }]);
  });

  it('lets every other property pass', () => {
    expect(refusalOfNames({ email: 'a@example.com', loyalty_points: '1', hs_pipeline: 'x' })).toBeUndefined();
  });
});

describe('the check of values', () => {
  it.each([
    ['email', 'nobody', 'INVALID_EMAIL', 'Email address nobody is invalid'],
    ['email', 'a b@example.com', 'INVALID_EMAIL', 'Email address a b@example.com is invalid'],
    ['email', 'a@example', 'INVALID_EMAIL', 'Email address a@example is invalid'],
    ['loyalty_points', 'abc', 'INVALID_LONG', 'abc was not a valid long.'],
    ['loyalty_tier', 'tin', 'INVALID_OPTION', 'tin was not one of the allowed options: [bronze, silver, gold]'],
    [
      'interests',
      'music;chess',
      'INVALID_OPTION',
      'chess was not one of the allowed options: [cycling, music, cooking, travel]',
    ],
    ['newsletter', 'yes', 'INVALID_OPTION', 'yes was not one of the allowed options: [true, false]'],
    ['birthday', 'soon', 'INVALID_DATE', 'soon was not a valid date.'],
  ])('%s = %s is %s', (name, value, error, message) => {
    expect(problemsIn(checkValues(data, contacts, { [name]: value }))).toEqual([
      { isValid: false, message, error, name },
    ]);
  });

  it.each([
    ['email', 'Renée.Ω@exämple.example'],
    ['email', ' a@example.com '],
    ['loyalty_points', '-1.5'],
    ['interests', 'music;travel'],
    ['birthday', '1999-12-31'],
    ['birthday', '946598400000'],
    ['closedate', '2026-01-01T00:00:00Z'],
    ['hubspot_owner_id', 'anything'],
    ['loyalty_tier', ''],
  ])('%s = %p passes', (name, value) => {
    expect(checkValues(data, contacts, { [name]: value })).toBeUndefined();
  });
});

it('lists all problems in the message and three of them in errors, as recorded', () => {
  const refusal = refusalOfNames({ a1: 'x', b1: 'x', c1: 'x', d1: 'x' });
  expect(refusal?.status).toBe(400);
  const { category, errors } = refusal?.fields ?? {};
  expect(category).toBe('VALIDATION_ERROR');
  expect(problemsIn(refusal)).toHaveLength(4);
  expect(errors).toHaveLength(3);
  expect(errors?.[0]).toEqual({
    message: 'Property "a1" does not exist',
    code: 'PROPERTY_DOESNT_EXIST',
    context: { propertyName: ['a1'] },
  });
});

it('stores emails lower-cased and trimmed, other values as sent', () => {
  expect(readProperties({ properties: { email: ' Ana@Example.COM ', city: ' Łódź ' } })).toEqual({
    email: 'ana@example.com',
    city: ' Łódź ',
  });
});

it.each<[string, Values, string | undefined, string[]]>([
  ['a new deal without a name', { amount: '1' }, undefined, ['dealname']],
  ['a new deal with an empty name', { dealname: '' }, undefined, ['dealname']],
  ['a new deal with a name', { dealname: 'x' }, undefined, []],
  ['an update of something else', { amount: '1' }, '1', []],
  ['an update that clears the name', { dealname: '' }, '1', ['dealname']],
])('requires values: %s', (_name, values, ownId, names) => {
  const refusal = checkValues(data, objectTypeNamed('deals'), values, ownId);
  expect(problemsIn(refusal) ?? []).toEqual(
    names.map((name) => expect.objectContaining({ name, error: 'MISSING_REQUIRED_PROPERTY' })),
  );
});
