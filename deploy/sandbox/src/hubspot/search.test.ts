import type { CrmRecord } from './object-type';
import { objectTypeNamed } from './objects';
import { compareValues, matches, readSearchRequest, type Operator } from './search';

const contacts = objectTypeNamed('contacts');
const read = (body: unknown) => readSearchRequest(contacts, JSON.stringify(body));
const filter = { propertyName: 'email', operator: 'EQ', value: 'a@example.com' };
const group = (count: number) => ({ filters: Array.from({ length: count }, () => filter) });

it('has HubSpot defaults', () => {
  expect(read({})).toEqual({ groups: [], query: '', sort: undefined, properties: [], limit: 10, after: 0 });
});

it.each([
  [['-createdate'], { propertyName: 'createdate', descending: true }],
  [['createdate'], { propertyName: 'createdate', descending: false }],
  [[{ propertyName: 'createdate', direction: 'DESCENDING' }], { propertyName: 'createdate', descending: true }],
  [[{ propertyName: 'createdate' }], { propertyName: 'createdate', descending: false }],
  [[], undefined],
])('reads sorts %j', (sorts, expected) => {
  expect(read({ sorts }).sort).toEqual(expected);
});

it.each<[string, unknown, string]>([
  ['a page above 200', { limit: 201 }, 'limit must be between 1 and 200'],
  ['an empty page', { limit: 0 }, 'limit must be between 1 and 200'],
  ['a page past 10,000 results', { after: '9991', limit: 10 }, 'Search cannot page past 10000 results'],
  ['a strange after', { after: 'x' }, 'x was not a valid long.'],
  ['six groups', { filterGroups: Array.from({ length: 6 }, () => group(1)) }, 'at most 5 filter groups'],
  ['seven filters in a group', { filterGroups: [group(7)] }, '6 filters in each'],
  ['nineteen filters', { filterGroups: [group(6), group(6), group(6), group(1)] }, '18 in all'],
  ['a long query', { query: 'x'.repeat(3001) }, '3000 characters'],
  ['two sorts', { sorts: ['email', 'city'] }, 'at most one sort'],
  [
    'an unknown property',
    { filterGroups: [{ filters: [{ ...filter, propertyName: 'shoe' }] }] },
    'There was a problem with the request.',
  ],
  [
    'an unknown operator',
    { filterGroups: [{ filters: [{ ...filter, operator: 'LIKE' }] }] },
    'Cannot deserialize value of type `Operator`',
  ],
  [
    'an empty value',
    { filterGroups: [{ filters: [{ ...filter, value: ' ' }] }] },
    "value must be non-empty and non-blank, if specified {propertyName: 'email'}",
  ],
  [
    'IN without values',
    { filterGroups: [{ filters: [{ propertyName: 'email', operator: 'IN' }] }] },
    'values must be non-empty',
  ],
  [
    'BETWEEN without an end',
    { filterGroups: [{ filters: [{ ...filter, operator: 'BETWEEN' }] }] },
    'highValue must be non-empty',
  ],
  ['a group without filters', { filterGroups: [{}] }, 'Some required fields were not set: [filters]'],
  ['a list as body', [], 'Cannot deserialize value of the request model'],
])('refuses %s', (_name, body, message) => {
  expect(() => read(body)).toThrow(message);
});

it('names the position of a fault in the JSON', () => {
  expect(() => readSearchRequest(contacts, '{"limit": 1,\n  oops}')).toThrow('Invalid input JSON on line 2, column 3');
  expect(() => readSearchRequest(contacts, '{"limit":')).toThrow('Invalid input JSON on line 1, column 10');
  expect(() => readSearchRequest(contacts, '')).toThrow('Invalid input JSON on line 1, column 1');
});

const contact: CrmRecord = {
  id: '171590000001',
  type: 'contacts',
  number: 1,
  isDeleted: false,
  fields: {
    email: 'ana@example.com',
    firstname: 'Ána Sofia',
    loyalty_points: '9',
    birthday: '1990-05-01',
    newsletter: 'true',
  },
  createdAt: '2026-01-02T03:04:05.000Z',
  updatedAt: '2026-01-02T03:04:05.000Z',
};

const created = String(Date.parse(contact.createdAt));

it.each<[string, Operator, Partial<{ value: string; highValue: string; values: string[] }>, boolean]>([
  ['email', 'EQ', { value: 'ANA@example.com' }, true],
  ['email', 'EQ', { value: 'bob@example.com' }, false],
  ['email', 'NEQ', { value: 'bob@example.com' }, true],
  ['lastname', 'EQ', { value: 'x' }, false],
  ['lastname', 'NEQ', { value: 'x' }, true],
  ['loyalty_points', 'LT', { value: '10' }, true],
  ['loyalty_points', 'LTE', { value: '9' }, true],
  ['loyalty_points', 'GT', { value: '10' }, false],
  ['loyalty_points', 'GTE', { value: '9' }, true],
  ['loyalty_points', 'BETWEEN', { value: '1', highValue: '9' }, true],
  ['loyalty_points', 'BETWEEN', { value: '1', highValue: '8' }, false],
  ['createdate', 'EQ', { value: created }, true],
  ['createdate', 'GTE', { value: '2026-01-02T03:04:05Z' }, true],
  ['createdate', 'GT', { value: created }, false],
  ['birthday', 'LT', { value: '1990-05-02' }, true],
  ['email', 'IN', { values: ['bob@example.com', 'ana@example.com'] }, true],
  // HubSpot wants lower-case values here; a caller that sends others finds nothing.
  ['firstname', 'IN', { values: ['Ána Sofia'] }, false],
  ['firstname', 'IN', { values: ['ána sofia'] }, true],
  ['firstname', 'NOT_IN', { values: ['ána sofia'] }, false],
  ['phone', 'HAS_PROPERTY', {}, false],
  ['phone', 'NOT_HAS_PROPERTY', {}, true],
  ['hs_email_domain', 'HAS_PROPERTY', {}, true],
  ['hs_email_domain', 'EQ', { value: 'example.com' }, true],
  ['email', 'CONTAINS_TOKEN', { value: '*@example.com' }, true],
  ['firstname', 'CONTAINS_TOKEN', { value: 'sofia' }, true],
  ['firstname', 'CONTAINS_TOKEN', { value: 'sof' }, false],
  ['firstname', 'CONTAINS_TOKEN', { value: 'sof*' }, true],
  ['firstname', 'NOT_CONTAINS_TOKEN', { value: 'sofia' }, false],
])('%s %s %p -> %p', (propertyName, operator, values, expected) => {
  expect(matches(contacts, contact, { propertyName, operator, value: '', highValue: '', values: [], ...values })).toBe(
    expected,
  );
});

it.each([
  ['9', '10', 'number', -1],
  ['9', '10', 'string', 1],
  ['A', 'a', 'string', 0],
  ['2026-01-02', '1767312000000', 'date', 0],
] as const)('compares %s with %s as %s: %i', (a, b, type, expected) => {
  expect(compareValues(a, b, type)).toBe(expected);
});
