import type { Auth, Fields } from '@sluice/connectors';

/** The object that a certification writes, and how its records look. */
export interface Subject {
  readonly objectName: string;
  /** Fields of the record with this mark. No two marks give equal fields. */
  readonly fields: (mark: string) => Fields;
  /** A text field of `fields` that holds the mark, can be searched by equality and is never changed. */
  readonly markField: string;
  /** A text field of `fields` that can be changed. */
  readonly textField: string;
  /** A field of `fields` that the provider keeps unique, whose value a second record is refused for. Absent: it has none. */
  readonly uniqueField?: string;
  /** Values for which one record is refused and no other one of its batch. Absent: batches are not tried with it. */
  readonly invalid?: Fields;
  /** A well-formed id of no record. */
  readonly absentId: string;
  /** What the token is. @default 'oauth2' */
  readonly access?: NonNullable<Auth['kind']>;
}

/** A mail address of a domain that belongs to nobody. Source: RFC 2606, 3. */
const emailOf = (mark: string): string => `${mark}@example.com`;
const text = 'Certification';

const subjects: Readonly<Record<string, Subject>> = {
  hubspot: {
    objectName: 'contacts',
    fields: (mark) => ({ email: emailOf(mark), firstname: 'Sluice', lastname: mark, jobtitle: text }),
    markField: 'lastname',
    textField: 'jobtitle',
    uniqueField: 'email',
    invalid: { email: 'no address' },
    absentId: '999999999999',
  },
  salesforce: {
    objectName: 'Contact',
    fields: (mark) => ({ Email: emailOf(mark), FirstName: 'Sluice', LastName: mark, Title: text }),
    markField: 'LastName',
    textField: 'Title',
    invalid: { Email: 'no address' },
    absentId: '003000000000000AAA',
  },
  pipedrive: {
    objectName: 'persons',
    fields: (mark) => ({ name: mark, job_title: text }),
    markField: 'name',
    textField: 'job_title',
    absentId: '999999999',
    access: 'apiKey',
  },
  zendeskSupport: {
    objectName: 'tickets',
    fields: (mark) => ({ subject: mark, external_id: text }),
    markField: 'subject',
    textField: 'external_id',
    absentId: '8007199254740993',
    access: 'basic',
  },
  klaviyo: {
    objectName: 'profiles',
    fields: (mark) => ({ email: emailOf(mark), last_name: text }),
    markField: 'email',
    textField: 'last_name',
    uniqueField: 'email',
    absentId: '01SANDBOXNONE',
    access: 'apiKey',
  },
  zoho: {
    objectName: 'Leads',
    fields: (mark) => ({ Last_Name: mark, Company: text }),
    markField: 'Last_Name',
    textField: 'Company',
    absentId: '1000000000000000001',
  },
  close: {
    objectName: 'lead',
    fields: (mark) => ({ name: mark, description: text }),
    markField: 'name',
    textField: 'description',
    absentId: 'lead_0000000000000000000000',
    access: 'apiKey',
  },
  freshdesk: {
    objectName: 'contacts',
    fields: (mark) => ({ name: 'Sluice', email: emailOf(mark), job_title: text }),
    markField: 'email',
    textField: 'job_title',
    uniqueField: 'email',
    absentId: '1',
    access: 'apiKey',
  },
};

/** What is written at a provider; undefined for one that nobody has said it of. */
export function subjectOf(provider: string): Subject | undefined {
  return Object.hasOwn(subjects, provider) ? subjects[provider] : undefined;
}

/** Names of the providers that have a subject. */
export const certifiable: readonly string[] = Object.keys(subjects);
