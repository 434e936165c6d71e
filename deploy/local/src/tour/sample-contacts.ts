import { readFileSync } from 'node:fs';
import { StepFailure } from './step-failure';

/** HubSpot property to value; what is missing is a missing key. */
export type SampleContact = Readonly<Record<string, string>>;

/** Where things stand in the sample file. Source: samples/README.md. */
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
  if (contact === undefined) throw new StepFailure(`The sample file has no contact ${index}.`);
  return contact;
}

/** For a line of the tour: a name, or what there is. */
export function describeContact({ firstname, lastname, email }: SampleContact): string {
  const name = [firstname, lastname].filter(Boolean).join(' ');
  return name === '' ? (email ?? 'a contact without a name') : name;
}
