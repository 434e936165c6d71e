import { type Fixture, fixtures } from '@sluice/connectors/conformance';

/** A provider, or an object or path layout of it, as the suite is run on it in the sandbox. */
export interface ImitatedProvider {
  /** The connector's name of the provider; accounts of the sandbox have it too. */
  readonly provider: string;
  readonly fixture: Fixture;
  /** A well-formed token that opens nothing. @default the account's own with another end */
  readonly badToken?: string;
  /** Path of creates: a prefix, or an expression that begins with `^`; so a fault meets no search. @default any POST */
  readonly writePath?: string;
  /** The object as the path of a link has it, and that of the records it is linked to. */
  readonly linkPath?: readonly [from: string, to: string];
  /** OAuth apps of the sandbox refresh its tokens. @default false */
  readonly hasGrants?: boolean;
  /** Cases that there are at least: a suite that shrinks by accident is noticed. */
  readonly casesMin: number;
}

function fixtureOf(provider: string, more: Partial<Fixture> = {}): Fixture {
  const fixture = fixtures.get(provider);
  if (!fixture) throw new Error(`${provider}: no fixture`);
  return { ...fixture, ...more };
}

const badToken = 'pat-na1-00000000-0000-0000-0000-000000000000';
const hubspot = { provider: 'hubspot', badToken, hasGrants: true } as const;
const linkTo = (objectName: string, markField: string, associationTypeId: number): NonNullable<Fixture['link']> => ({
  object: { objectName, fields: (seed) => ({ [markField]: seed }), markField },
  types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId }],
  searchedBy: '',
});
const salesforceKey = 'External_Id__c';

const imitated: Readonly<Record<string, ImitatedProvider>> = {
  'hubspot, contacts': {
    ...hubspot,
    fixture: fixtureOf('hubspot'),
    linkPath: ['contacts', 'companies'],
    casesMin: 79,
  },
  // Objects without a unique property.
  'hubspot, companies': {
    ...hubspot,
    fixture: {
      objectName: 'companies',
      fields: (seed) => ({ name: seed, domain: 'zoe.example.com', city: 'Zürich' }),
      markField: 'name',
      textField: 'name',
      absentId: '99999999999999',
      link: linkTo('deals', 'dealname', 342),
    },
    linkPath: ['companies', 'deals'],
    casesMin: 76,
  },
  'hubspot, deals by their type id': {
    ...hubspot,
    fixture: {
      objectName: '0-3',
      fields: (seed) => ({ dealname: seed, amount: '1200.5' }),
      markField: 'dealname',
      textField: 'dealname',
      absentId: '99999999999999',
      link: linkTo('contacts', 'lastname', 3),
    },
    linkPath: ['deals', 'contacts'],
    casesMin: 76,
  },
  salesforce: {
    provider: 'salesforce',
    fixture: fixtureOf('salesforce', {
      fields: (seed) => ({ [salesforceKey]: seed, FirstName: 'Zoë', LastName: seed }),
      markField: salesforceKey,
      uniqueField: salesforceKey,
      isResendSafe: true,
    }),
    badToken: '00D000000000000!not.a.session',
    hasGrants: true,
    casesMin: 78,
  },
  'salesforce, without a unique field': {
    provider: 'salesforce',
    fixture: fixtureOf('salesforce'),
    badToken: '00D000000000000!not.a.session',
    hasGrants: true,
    casesMin: 74,
  },
};

/** Creates only: the searches of one of them are POSTs too. */
const writePath = '^/rest/[A-Za-z]+(/[a-z0-9]+)*/(persons|tickets|profiles|Leads|lead|contacts)/?$';

/** Providers that are described by a file, each as the sandbox imitates it apart from that file. */
const ofFiles: readonly (readonly [string, number])[] = [
  ['pipedrive', 41],
  ['zendeskSupport', 37],
  ['klaviyo', 44],
  ['zoho', 44],
  ['close', 37],
  ['freshdesk', 45],
];

/** With their titles. */
export const everyProvider: readonly (readonly [string, ImitatedProvider])[] = [
  ...Object.entries(imitated),
  ...ofFiles.map(
    ([provider, casesMin]) =>
      [
        provider,
        { provider, fixture: fixtureOf(provider), writePath, hasGrants: provider === 'zoho', casesMin },
      ] as const,
  ),
];
