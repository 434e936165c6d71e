import { readFileSync } from 'node:fs';
import type { CrmContact } from '../sandbox-client';
import { expectThat } from './expect';

/** HubSpot property to value; what is missing is a missing key. */
export type SampleContact = Readonly<Record<string, string>>;

/** Positions in the sample file. Source: samples/README.md. */
export const sampleIndexes = {
  autoBatched: { from: 0, to: 250 },
  synchronous: 280,
  asynchronous: 281,
  /** One person twice, the email in another case. */
  duplicate: [262, 263],
  /** Without email, very long names, spaces, accents in two forms, emoji and line breaks, an email alone. */
  odd: [250, 253, 264, 265, 272, 273, 274, 275, 276],
  /** An email that is none; a lifecycle stage that HubSpot lacks. */
  refused: [298, 299],
  measured: { from: 282, to: 297 },
} as const;

/** Every property of the sample. */
export const sampleProperties = [
  'email',
  'firstname',
  'lastname',
  'phone',
  'company',
  'jobtitle',
  'city',
  'country',
  'lifecyclestage',
] as const;

/** The sample with emails that no earlier run has used: HubSpot's are unique. */
export function readSampleContacts(file: string, run: string): readonly SampleContact[] {
  const contacts = JSON.parse(readFileSync(file, 'utf8')) as SampleContact[];
  return contacts.map((contact) => withMark(contact, run));
}

/** `ana@example.com` becomes `ana+mark@example.com`. Duplicates stay duplicates; what is no address stays as it is. */
export function withMark(contact: SampleContact, mark: string): SampleContact {
  const { email } = contact;
  if (email === undefined || !email.includes('@')) return contact;
  const at = email.lastIndexOf('@');
  const joint = email.slice(0, at).includes('+') ? '.' : '+';
  return { ...contact, email: `${email.slice(0, at)}${joint}${mark}${email.slice(at)}` };
}

export function contactAt(contacts: readonly SampleContact[], index: number): SampleContact {
  const contact = contacts[index];
  expectThat(contact !== undefined, `The sample file has no contact ${index}.`);
  return contact;
}

/** For a line of the tour: a name, or what there is. */
export function describeContact({ firstname, lastname, email }: SampleContact): string {
  const name = [firstname, lastname].filter(Boolean).join(' ');
  return name === '' ? (email ?? 'a contact without a name') : name;
}

/** HubSpot gives a new contact this stage when none is sent. */
const defaultStage = 'lead';

/**
 * Fails unless the CRM has exactly what was sent: every value, and nothing where nothing was sent.
 * HubSpot keeps an email in lower case; all else stays as it is, to the last space.
 */
export function expectSame(sent: SampleContact, contact: CrmContact | undefined): void {
  expectThat(contact !== undefined, `The CRM has no contact for ${sent.email ?? sent.lastname}.`);
  for (const property of sampleProperties) {
    const wanted = keptValue(sent, property);
    const found = contact.properties[property] ?? undefined;
    expectThat(
      found === wanted,
      `Contact ${contact.id}: ${property} should be ${show(wanted)} and is ${show(found)} in the CRM.`,
    );
  }
}

function keptValue(sent: SampleContact, property: (typeof sampleProperties)[number]): string | undefined {
  if (property === 'email') return sent.email?.toLowerCase();
  return sent[property] ?? (property === 'lifecyclestage' ? defaultStage : undefined);
}

/** How many values a contact carries. */
export function countValues(contact: SampleContact): number {
  return sampleProperties.filter((property) => contact[property] !== undefined).length;
}

function show(value: string | undefined): string {
  return value === undefined ? 'empty' : JSON.stringify(value);
}
