import type { ProviderName } from '../harness/account';

/** The two providers that the specification calls X and Y, with the words in which they say the same. */
export interface Crm {
  readonly provider: ProviderName;
  /** The object of persons. */
  readonly object: string;
  /** Another object, and its fields for a valid record. */
  readonly other: { readonly object: string; readonly record: (name: string) => Record<string, unknown> };
  /** Fields of a person. `last` is the one that a person must have at Salesforce. */
  readonly first: string;
  readonly last: string;
  readonly email: string;
  readonly phone: string;
  readonly title: string;
  readonly city: string;
  readonly points: string;
  readonly isActive: string;
  /** A field with a fixed set of values, and two of them. */
  readonly level: string;
  readonly levels: readonly [string, string];
  /** An id of the right form that no record has. */
  readonly absentId: string;
}

const hubspot: Crm = {
  provider: 'hubspot',
  object: 'contacts',
  other: { object: 'companies', record: (name) => ({ name }) },
  first: 'firstname',
  last: 'lastname',
  email: 'email',
  phone: 'phone',
  title: 'jobtitle',
  city: 'city',
  points: 'loyalty_points',
  isActive: 'newsletter',
  level: 'loyalty_tier',
  levels: ['gold', 'silver'],
  absentId: '99999999999999',
};

const salesforce: Crm = {
  provider: 'salesforce',
  object: 'Contact',
  other: { object: 'Account', record: (name) => ({ Name: name }) },
  first: 'FirstName',
  last: 'LastName',
  email: 'Email',
  phone: 'Phone',
  title: 'Title',
  city: 'MailingCity',
  points: 'Score__c',
  isActive: 'Active__c',
  level: 'Level__c',
  levels: ['Primary', 'Tertiary'],
  absentId: '003000000000000AAA',
};

/** For `describe.each`: the rules that hold for both are shown on both. */
export const crms = [hubspot, salesforce].map((crm): [ProviderName, Crm] => [crm.provider, crm]);
export { hubspot, salesforce };

/** A valid new person whose email and last name carry the mark. */
export function person({ last, email }: Crm, mark: string, more: object = {}): Record<string, unknown> {
  return { [last]: mark, [email]: `${mark.toLowerCase()}@example.com`, ...more };
}

/** A person that the provider refuses alone: the other records of its batch are not touched by it. */
export function badPerson(crm: Crm, mark: string): Record<string, unknown> {
  return { ...person(crm, mark), [crm.email]: 'no email' };
}
