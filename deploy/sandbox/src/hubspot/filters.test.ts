import type { CrmRecord } from './crm-record';
import { compareValues, matches, type Operator } from './filters';
import { contacts } from './objects/contacts';

const contact: CrmRecord = {
  id: '171590000001',
  properties: {
    email: 'ana@example.com',
    firstname: 'Ána Sofia',
    loyalty_points: '9',
    birthday: '1990-05-01',
    newsletter: 'true',
  },
  createdAt: new Date('2026-01-02T03:04:05.000Z'),
  updatedAt: new Date('2026-01-02T03:04:05.000Z'),
};

const created = String(contact.createdAt.getTime());

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
