import { contacts } from './objects/contacts';
import { readSearchRequest } from './search-request';

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

it('says where the JSON is broken', () => {
  expect(() => readSearchRequest(contacts, '{"limit": 1,\n  oops}')).toThrow('Invalid input JSON on line 2, column 3');
  expect(() => readSearchRequest(contacts, '{"limit":')).toThrow('Invalid input JSON on line 1, column 10');
  expect(() => readSearchRequest(contacts, '')).toThrow('Invalid input JSON on line 1, column 1');
});
