import { sampleFile } from '../demo/demo-settings';
import { readSampleContacts, sampleIndexes, withMark } from './sample-contacts';

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

// The steps rely on what the sample's README says of these places.
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
