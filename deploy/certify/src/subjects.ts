import type { Auth, Fields } from '@sluice/connectors';
import type { AssociationType } from '@sluice/types';

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
  /** A well-formed id of no record. Absent: nobody has said how ids look there. */
  readonly absentId?: string;
  /** A field of `fields` that has the same value in every record, and by which they are found without knowing a mark. */
  readonly constantField?: string;
  /** What the token has to be allowed, where it tells its scopes. */
  readonly scopes?: readonly string[];
  /** What the token is. @default 'oauth2' */
  readonly access?: NonNullable<Auth['kind']>;
  /** What its records are linked to. Absent: nobody has said it. */
  readonly linked?: Linked;
}

/** A second object, of which a certification makes one record and links its others to it. */
export interface Linked {
  readonly subject: Subject;
  readonly types: readonly AssociationType[];
  /** Stands for a field in a search for the records that are linked to one, whose id is the value. */
  readonly searchedBy: string;
}

/** The subject itself, or the one that its records are linked to. @param objectName @default its own */
export function subjectNamed(subject: Subject, objectName: string | undefined): Subject {
  const { linked } = subject;
  return linked && linked.subject.objectName === objectName ? linked.subject : subject;
}

/** A mail address of a domain that belongs to nobody. Source: RFC 2606, 3. */
const emailOf = (mark: string): string => `${mark}@example.com`;

/** What is written besides the mark. */
export const texts = {
  made: 'Certification',
  changed: 'Certified',
  changedAgain: 'Certified twice',
  neverMade: 'Certified never',
} as const;
/** The name of no field. */
export const absentField = 'sluice_no_such_field';
const text = texts.made;
const firstName = 'Sluice';
const noAddress = 'no address';

const companies: Subject = {
  objectName: 'companies',
  fields: (mark) => ({ name: mark, city: firstName, description: text }),
  markField: 'name',
  textField: 'description',
  constantField: 'city',
};

const subjects: Readonly<Record<string, Subject>> = {
  hubspot: {
    objectName: 'contacts',
    fields: (mark) => ({ email: emailOf(mark), firstname: firstName, lastname: mark, jobtitle: text }),
    markField: 'lastname',
    textField: 'jobtitle',
    uniqueField: 'email',
    constantField: 'firstname',
    scopes: ['crm.objects.contacts.read', 'crm.objects.contacts.write', 'crm.schemas.contacts.read'],
    invalid: { email: noAddress },
    absentId: '999999999999',
    linked: {
      subject: companies,
      // Contact to company. Source: reference A4.
      types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 279 }],
      // HubSpot's guide to search, "Search through associations".
      searchedBy: 'associations.company',
    },
  },
  salesforce: {
    objectName: 'Contact',
    fields: (mark) => ({ Email: emailOf(mark), FirstName: firstName, LastName: mark, Title: text }),
    markField: 'LastName',
    textField: 'Title',
    constantField: 'FirstName',
    invalid: { Email: noAddress },
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
    fields: (mark) => ({ name: firstName, email: emailOf(mark), job_title: text }),
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

/** What a run sends besides its marks: nobody's, so a recording keeps it. */
export function ownTexts({ fields, invalid, absentId, objectName, linked }: Subject): string[] {
  const values = [...Object.values(fields('')), ...Object.values(invalid ?? {})];
  const strings = values.filter((value) => typeof value === 'string' && value !== '');
  return [
    ...strings.map(String),
    ...Object.values(texts),
    absentField,
    objectName,
    ...(absentId === undefined ? [] : [absentId]),
    ...(linked ? [linked.searchedBy, ...Object.keys(linked.subject.fields('')), ...ownTexts(linked.subject)] : []),
  ];
}
