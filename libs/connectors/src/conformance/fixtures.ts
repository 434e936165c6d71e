import type { AssociationType } from '@sluice/types';
import type { Auth } from '../requests';
import type { ProviderFixture, WrittenObject } from './harness';

/** What the suite writes at a provider, and how an account of it is opened. */
export interface Fixture extends ProviderFixture {
  /** What the access token is. @default 'oauth2' */
  readonly access?: NonNullable<Auth['kind']>;
  /** What its records are linked to. */
  readonly link?: {
    readonly object: WrittenObject;
    readonly types: readonly AssociationType[];
    /** Stands for a field in a search for the records that are linked to one, whose id is the value. */
    readonly searchedBy: string;
  };
}

/** A mail address of a domain that belongs to nobody. Source: RFC 2606, 3. */
const emailOf = (seed: string): string => `${seed}@example.com`;

/** By provider. Their values hold what each grammar of a search has to escape. Fields are those that every account has. */
export const fixtures: ReadonlyMap<string, Fixture> = new Map<string, Fixture>(
  Object.entries({
    hubspot: {
      objectName: 'contacts',
      fields: (seed) => ({ email: emailOf(seed), firstname: 'Zoë', lastname: seed }),
      markField: 'email',
      uniqueField: 'email',
      textField: 'lastname',
      absentId: '99999999999999',
      link: {
        object: { objectName: 'companies', fields: (seed) => ({ name: seed }), markField: 'name' },
        // Contact to company. Source: reference A4.
        types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 279 }],
        // HubSpot's guide to search, "Search through associations".
        searchedBy: 'associations.company',
      },
    },
    salesforce: {
      objectName: 'Contact',
      fields: (seed) => ({ Email: emailOf(seed), FirstName: 'Zoë', LastName: seed }),
      markField: 'LastName',
      textField: 'FirstName',
      absentId: '003000000000000AAA',
      invalid: { Email: 'no address' },
      isConsistent: true,
    },
    pipedrive: {
      objectName: 'persons',
      fields: (seed) => ({ name: `Zoë ${seed}`, job_title: 'Ingénieure' }),
      markField: 'name',
      textField: 'job_title',
      absentId: '999999999',
      access: 'apiKey',
    },
    zendeskSupport: {
      objectName: 'tickets',
      fields: (seed) => ({ subject: `Zoë ${seed}`, external_id: seed, priority: 'high' }),
      markField: 'subject',
      textField: 'external_id',
      absentId: '8007199254740993',
    },
    klaviyo: {
      objectName: 'profiles',
      fields: (seed) => ({ email: emailOf(seed), first_name: 'Zoë "Zo" \\', last_name: seed }),
      markField: 'email',
      uniqueField: 'email',
      textField: 'last_name',
      absentId: '01SANDBOXNONE',
      access: 'apiKey',
      describesFromFile: true,
    },
    zoho: {
      objectName: 'Leads',
      fields: (seed) => ({ Last_Name: `Zoë (${seed}), Dr.`, Email: emailOf(seed), Company: 'Müller & Söhne' }),
      markField: 'Last_Name',
      textField: 'Company',
      absentId: '1000000000000000001',
    },
    close: {
      objectName: 'lead',
      fields: (seed) => ({ name: `Zoë ${seed}`, description: '"quoted" \\ \n lines', url: 'https://example.com' }),
      markField: 'name',
      textField: 'description',
      absentId: 'lead_0000000000000000000000',
      access: 'apiKey',
    },
    freshdesk: {
      objectName: 'contacts',
      fields: (seed) => ({ name: 'Zoë', email: emailOf(seed), job_title: seed }),
      markField: 'email',
      uniqueField: 'email',
      textField: 'job_title',
      absentId: '1',
      access: 'apiKey',
    },
  } satisfies Record<string, Fixture>),
);
