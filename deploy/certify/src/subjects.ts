import type { Auth, Declaration, Fields } from '@sluice/connectors';
import type { AssociationType } from '@sluice/types';

/** The object that a certification writes, and the fields of its records. */
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
  /** A well-formed id of no record. Absent: the form of the ids is unknown. */
  readonly absentId?: string;
  /** A field of `fields` that has the same value in every record, and by which they are found without knowing a mark. */
  readonly constantField?: string;
  /** Scopes that the token needs, where the provider returns the scopes of a token. */
  readonly scopes?: readonly string[];
  /** What the token is. @default 'oauth2' */
  readonly access?: NonNullable<Auth['kind']>;
  /** What its records are linked to. Absent: not declared. */
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

/** What is written at a provider; undefined for one without a declaration. */
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

/** What the command line states about a provider whose file came from outside, where the file does not. Kept in the recording. */
export interface SubjectWords {
  readonly object?: string;
  /** Field that takes the mark. */
  readonly mark?: string;
  /** Field that takes a text. */
  readonly text?: string;
  readonly absentId?: string;
  /** Fields that a record needs besides, `name=value`. */
  readonly with?: readonly string[];
}

/** The object that is written at a provider of a file. @returns why it is unknown, as a sentence */
export function subjectOfFile(file: Declaration, words: SubjectWords): Subject | string {
  const objectName = words.object ?? Object.keys(file.objects).find((name) => name !== '*');
  const object = objectName === undefined ? undefined : (file.objects[objectName] ?? file.objects['*']);
  if (objectName === undefined || !object) {
    const known = Object.keys(file.objects).join(', ');
    return `--object: must be an object of ${file.name}: ${known}.`;
  }
  const strings = (object.fields ?? []).filter(({ type, readOnly }) => type === 'string' && readOnly !== true);
  const markField = words.mark ?? object.unique ?? strings.find(({ name }) => isSearchable(object, name))?.name;
  const textField = words.text ?? strings.find(({ name }) => name !== markField)?.name;
  if (markField === undefined) return `--mark: name the text field of ${objectName} that takes the mark.`;
  if (textField === undefined || textField === markField) {
    return `--text: name a text field of ${objectName} that can be changed, other than ${markField}.`;
  }
  const more = othersOf(words.with ?? []);
  if (typeof more === 'string') return more;
  return {
    objectName,
    markField,
    textField,
    fields: (mark) => ({ ...more, [markField]: valueOf(markField, mark), [textField]: texts.made }),
    ...(object.unique === markField && { uniqueField: markField }),
    ...(words.absentId !== undefined && { absentId: words.absentId }),
    access: accessOf(file),
  };
}

type DeclaredObject = Declaration['objects'][string];

function isSearchable({ searchable }: DeclaredObject, name: string): boolean {
  return searchable?.includes(name) ?? true;
}

/** An address where one is wanted. Source: RFC 2606, 3. */
function valueOf(field: string, mark: string): string {
  return /e-?mail/i.test(field) ? `${mark}@example.com` : mark;
}

function othersOf(pairs: readonly string[]): Fields | string {
  const wrong = pairs.find((pair) => !/^[^=]+=/.test(pair));
  if (wrong !== undefined) return `--with: must be name=value, not '${wrong}'.`;
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

function accessOf({ auth }: Declaration): NonNullable<Auth['kind']> {
  if (auth.apiKey) return 'apiKey';
  if (auth.basic === true) return 'basic';
  return auth.oauth2 ? 'oauth2' : 'none';
}
