import { sampleFile } from '../demo/demo';
import { expectSame, readSampleContacts, sampleIndexes, withMark } from './sample-contacts';

describe('withMark', () => {
  it.each([
    ['Ana@Example.com', 'Ana+r1@Example.com'],
    ['ana+crm@example.com', 'ana+crm.r1@example.com'],
    ['ana.at.example.com', 'ana.at.example.com'],
  ])('makes of %s the address %s', (email, marked) => {
    expect(withMark({ email }, 'r1')).toEqual({ email: marked });
  });

  it('leaves a contact without email as it is', () => {
    expect(withMark({ lastname: 'X' }, 'r1')).toEqual({ lastname: 'X' });
  });
});

// The steps rely on what the sample's README states about these positions.
describe('the sample file', () => {
  const contacts = readSampleContacts(sampleFile, 'r1');
  const emailOf = (index: number) => contacts[index]?.email?.toLowerCase();

  it('has 250 emails of their own for the auto-batches', () => {
    const { from, to } = sampleIndexes.autoBatched;
    const emails = contacts.slice(from, to).map(({ email }) => email?.toLowerCase());
    expect(emails).not.toContain(undefined);
    expect(new Set(emails).size).toBe(250);
  });

  it('has a duplicate that differs in case only', () => {
    const [one, two] = sampleIndexes.duplicate;
    expect(emailOf(one)).toBe(emailOf(two));
    expect(contacts[one]?.email).not.toBe(contacts[two]?.email);
  });

  it('has no other contact twice among those the tour creates', () => {
    const { measured, synchronous, asynchronous, odd } = sampleIndexes;
    const range = Array.from({ length: measured.to - measured.from }, (_, at) => measured.from + at);
    const emails = [synchronous, asynchronous, ...odd, ...range].flatMap((index) => emailOf(index) ?? []);
    expect(new Set(emails).size).toBe(emails.length);
  });
});

describe('what the CRM has of a contact', () => {
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
});
