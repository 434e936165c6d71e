/** A record of an object, and how it is met again. */
export interface Sample {
  /** A valid record that carries the mark. */
  readonly record: (mark: string) => Readonly<Record<string, unknown>>;
  /** The field that carries the mark as it is. */
  readonly markField: string;
  /** A field to update, with another value than the record has. */
  readonly change: Readonly<Record<string, string>>;
  /** A field of the record by which it alone is found. @default the mark's */
  readonly searchField?: string;
  /** A name for `*`: an object that the file does not name. */
  readonly objectName?: string;
}

const emailOf = (mark: string) => `${mark}@example.com`;
const named = (mark: string) => ({ name: mark });

/**
 * By provider and object, as the files name them; where the file says that a field is unique, with `+` a record that sets it. The rows come
 * out of the files: an object of a file that has no sample here fails the suite by its name.
 */
export const samples: Readonly<Record<string, Readonly<Record<string, Sample>>>> = {
  close: {
    lead: { record: named, markField: 'name', change: { description: 'Reykjavík' } },
    contact: {
      record: (mark) => ({ name: mark, lead_id: 'lead_4711' }),
      markField: 'name',
      change: { title: 'Ingénieure' },
    },
    opportunity: {
      record: (mark) => ({ note: mark, lead_id: 'lead_4711' }),
      markField: 'note',
      change: { confidence: '75' },
    },
  },
  freshdesk: {
    'contacts+': {
      record: (mark) => ({ name: mark, email: emailOf(mark) }),
      markField: 'name',
      change: { job_title: 'Ingénieure' },
      searchField: 'email',
    },
    contacts: {
      record: (mark) => ({ name: mark, phone: mark }),
      markField: 'name',
      change: { job_title: 'Ingénieure' },
      searchField: 'phone',
    },
    tickets: {
      record: (mark) => ({ subject: mark, email: emailOf(mark) }),
      markField: 'subject',
      change: { description: 'Reykjavík' },
      searchField: 'email',
    },
  },
  klaviyo: {
    'profiles+': {
      record: (mark) => ({ email: emailOf(mark), last_name: mark }),
      markField: 'last_name',
      change: { title: 'Ingénieure' },
      searchField: 'email',
    },
    profiles: {
      record: (mark) => ({ external_id: mark, first_name: 'Zoë' }),
      markField: 'external_id',
      change: { title: 'Ingénieure' },
    },
  },
  pipedrive: {
    persons: {
      record: (mark) => ({ name: mark, email: emailOf(mark) }),
      markField: 'name',
      change: { job_title: 'Ingénieure' },
    },
    organizations: { record: named, markField: 'name', change: { address: 'Reykjavík' } },
    deals: { record: (mark) => ({ title: mark, value: 12 }), markField: 'title', change: { currency: 'ISK' } },
  },
  zendeskSupport: {
    tickets: { record: (mark) => ({ subject: mark }), markField: 'subject', change: { priority: 'low' } },
    users: {
      record: (mark) => ({ name: mark, email: emailOf(mark) }),
      markField: 'name',
      change: { phone: '+354 555 0100' },
    },
    organizations: { record: named, markField: 'name', change: { details: 'Reykjavík' } },
  },
  zoho: {
    Leads: {
      record: (mark) => ({ Last_Name: mark, Company: 'Analytical Engines' }),
      markField: 'Last_Name',
      change: { Company: 'Müller & Söhne' },
    },
    Contacts: {
      record: (mark) => ({ Last_Name: mark, Email: emailOf(mark) }),
      markField: 'Last_Name',
      change: { Phone: '+354 555 0100' },
    },
    Accounts: {
      record: (mark) => ({ Account_Name: mark }),
      markField: 'Account_Name',
      change: { Website: 'https://example.com' },
    },
    Deals: {
      record: (mark) => ({ Deal_Name: mark, Stage: 'Qualification' }),
      markField: 'Deal_Name',
      change: { Stage: 'Closed Won' },
    },
    '*': {
      record: (mark) => ({ Name: mark }),
      markField: 'Name',
      change: { Place: 'Reykjavík' },
      objectName: 'Visits',
    },
  },
};
