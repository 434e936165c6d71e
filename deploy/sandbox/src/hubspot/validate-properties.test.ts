import { contacts } from './objects/contacts';
import { deals } from './objects/deals';
import {
  definitionProblems,
  missingProblems,
  normaliseValues,
  propertiesInvalid,
  valueProblems,
  valueToString,
} from './validate-properties';

describe('valueToString', () => {
  it.each([
    ['text', 'text'],
    [12.5, '12.5'],
    [true, 'true'],
    [null, ''],
    [undefined, ''],
  ])('%p becomes %p', (sent, kept) => {
    expect(valueToString('phone', sent)).toBe(kept);
  });

  it.each([[{ a: 1 }], [['a']]])('refuses %p', (sent) => {
    expect(() => valueToString('phone', sent)).toThrow('Cannot deserialize value of type `java.lang.String`');
  });
});

describe('definitionProblems', () => {
  it.each([
    ['shoe_size', 'PROPERTY_DOESNT_EXIST', 'Property "shoe_size" does not exist'],
    ['hs_object_id', 'READ_ONLY_VALUE', '"hs_object_id" is a read only property; its value cannot be set.'],
    ['constructor', 'PROPERTY_DOESNT_EXIST', 'Property "constructor" does not exist'],
  ])('%s is %s', (name, error, message) => {
    expect(definitionProblems(contacts, { [name]: 'x' })).toEqual([{ isValid: false, message, error, name }]);
  });

  it('lets every other property pass', () => {
    expect(definitionProblems(contacts, { email: 'a@example.com', loyalty_points: '1', hs_pipeline: 'x' })).toEqual([]);
  });
});

describe('valueProblems', () => {
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
    expect(valueProblems(contacts, { [name]: value })).toEqual([{ isValid: false, message, error, name }]);
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
    expect(valueProblems(contacts, { [name]: value })).toEqual([]);
  });
});

it('lists all problems in the message and three of them in errors, as recorded', () => {
  const problems = definitionProblems(contacts, { a1: 'x', b1: 'x', c1: 'x', d1: 'x' });
  const { status, fields } = propertiesInvalid(problems);
  expect(status).toBe(400);
  expect(fields.category).toBe('VALIDATION_ERROR');
  expect(JSON.parse(fields.message.replace('Property values were not valid: ', ''))).toEqual(problems);
  expect(fields.errors).toHaveLength(3);
  expect(fields.errors?.[0]).toEqual({
    message: 'Property "a1" does not exist',
    code: 'PROPERTY_DOESNT_EXIST',
    context: { propertyName: ['a1'] },
  });
});

it('keeps emails lower-cased and trimmed, other values as sent', () => {
  expect(normaliseValues({ email: ' Ana@Example.COM ', city: ' Łódź ' })).toEqual({
    email: 'ana@example.com',
    city: ' Łódź ',
  });
  expect(normaliseValues({ city: 'Oslo' })).toEqual({ city: 'Oslo' });
});

describe('missingProblems', () => {
  it.each<[string, Record<string, string>, boolean, string[]]>([
    ['a new deal without a name', { amount: '1' }, true, ['dealname']],
    ['a new deal with an empty name', { dealname: '' }, true, ['dealname']],
    ['a new deal with a name', { dealname: 'x' }, true, []],
    ['an update of something else', { amount: '1' }, false, []],
    ['an update that clears the name', { dealname: '' }, false, ['dealname']],
  ])('%s', (_name, values, isNew, names) => {
    const problems = missingProblems(deals, values, isNew);
    expect(problems.map(({ name }) => name)).toEqual(names);
    expect(problems.every(({ error }) => error === 'MISSING_REQUIRED_PROPERTY')).toBe(true);
  });
});
