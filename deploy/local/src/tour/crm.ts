import type { LedgerEntry } from '@sluice/sandbox';
import { bodyOf, type CrmContact, type SandboxClient } from '../sandbox-client';

/** What a CRM calls the things that the tour writes. */
export interface CrmWords {
  /** The object that holds people. */
  readonly people: string;
  readonly email: string;
  readonly lastname: string;
  readonly phone: string;
  /** The field that the customer maps to the builder's name `position`. */
  readonly title: string;
  /** A field that the config fills when a create leaves it out, and its value. */
  readonly defaulted: { readonly field: string; readonly value: string };
  /** A value that no person may have, and the field it is wrong for. */
  readonly wrong: { readonly field: string; readonly value: string };
}

export const crmWords = {
  hubspot: {
    people: 'contacts',
    email: 'email',
    lastname: 'lastname',
    phone: 'phone',
    title: 'jobtitle',
    defaulted: { field: 'hs_lead_status', value: 'NEW' },
    wrong: { field: 'lifecyclestage', value: 'no such stage' },
  },
  salesforce: {
    people: 'Contact',
    email: 'Email',
    lastname: 'LastName',
    phone: 'Phone',
    title: 'Title',
    defaulted: { field: 'LeadSource', value: 'Web' },
    wrong: { field: 'Email', value: 'no address' },
  },
} as const satisfies Record<string, CrmWords>;

/** A customer's CRM, read and changed directly: what the tour believes about it never comes from Sluice. */
export interface Crm {
  /** For people. */
  readonly name: string;
  readonly words: CrmWords;
  /** The values of a person by id; undefined when there is no such record (any more). */
  read(id: string, fields: readonly string[]): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** A change that the customer makes himself. */
  change(id: string, fields: Readonly<Record<string, string>>): Promise<void>;
  /** Starts watching. @returns what was called since: everything but the auto-batches, which may leave meanwhile */
  watch(): Promise<() => Promise<readonly LedgerEntry[]>>;
}

/** The imitated HubSpot account. */
export function createHubspotCrm(sandbox: SandboxClient): Crm {
  const path = (id: string) => `/crm/v3/objects/contacts/${id}`;
  return {
    name: 'HubSpot',
    words: crmWords.hubspot,
    read: async (id, fields) => {
      const reply = await sandbox.request<CrmContact>('GET', `${path(id)}?properties=${fields.join(',')}`);
      return reply.status === 404 ? undefined : bodyOf(reply, 200, 'reading a contact').properties;
    },
    change: async (id, properties) => {
      bodyOf(await sandbox.request('PATCH', path(id), { properties }), 200, 'changing a contact in HubSpot');
    },
    watch: watcherOf(sandbox),
  };
}

/** The imitated Salesforce org. */
export function createSalesforceCrm(sandbox: SandboxClient): Crm {
  const path = (id: string) => `/services/data/v60.0/sobjects/Contact/${id}`;
  return {
    name: 'Salesforce',
    words: crmWords.salesforce,
    read: async (id, fields) => {
      const reply = await sandbox.request<Record<string, unknown>>('GET', `${path(id)}?fields=${fields.join(',')}`);
      return reply.status === 404 ? undefined : bodyOf(reply, 200, 'reading a Contact');
    },
    change: async (id, fields) => {
      bodyOf(await sandbox.request('PATCH', path(id), fields), 204, 'changing a Contact in Salesforce');
    },
    watch: watcherOf(sandbox),
  };
}

/** By number, not by time: two calls may arrive in one millisecond. */
function watcherOf(sandbox: SandboxClient): Crm['watch'] {
  const openedAt = new Date();
  return async () => {
    const last = (await sandbox.ledgerSince(openedAt)).at(-1)?.seq ?? 0;
    return async () => {
      const calls = await sandbox.ledgerSince(openedAt);
      return calls.filter((call) => call.seq > last && !isAutoBatch(call));
    };
  };
}

/** The other batches of the tour are smaller. */
function isAutoBatch({ action, records }: LedgerEntry): boolean {
  return action === 'batch-create' && records >= 50;
}
