import { expectSame } from './compare-contact';

const sent = { email: 'Ana@Example.com', lastname: ' Noël ', lifecyclestage: 'customer' };
const kept = { email: 'ana@example.com', lastname: ' Noël ', lifecyclestage: 'customer' };

it('takes what HubSpot keeps: the email in lower case, a stage when none was sent, null for what is not set', () => {
  expectSame(sent, { id: '1', properties: { ...kept, phone: null } });
  expectSame({ lastname: 'X' }, { id: '1', properties: { lastname: 'X', lifecyclestage: 'lead' } });
});

it.each([
  ['a lost space', { ...kept, lastname: 'Noël' }, 'lastname should be " Noël " and is "Noël"'],
  ['a value too many', { ...kept, city: 'Lyon' }, 'city should be empty and is "Lyon"'],
  ['a missing value', { ...kept, lifecyclestage: null }, 'lifecyclestage should be "customer" and is empty'],
])('sees %s', (_, properties, sentence) => {
  expect(() => expectSame(sent, { id: '7', properties })).toThrow(sentence);
});

it('sees a contact that is not there', () => {
  expect(() => expectSame(sent, undefined)).toThrow('The CRM has no contact for Ana@Example.com.');
});
