import { type Declaration, loadDeclarations } from '@sluice/connectors';

/** A record of an object, and how it is met again. */
interface Sample {
  /** A valid record that carries the mark. */
  readonly record: (mark: string) => Readonly<Record<string, unknown>>;
  /** The field that carries the mark as it is. */
  readonly markField: string;
  /** A field to update, with another value than the record has. */
  readonly change: Readonly<Record<string, string | number>>;
  /** A field of the record by which it alone is found. @default the mark's */
  readonly searchField?: string;
  /** A name for `*`: an object that the file does not name. */
  readonly objectName?: string;
}

/** An object with the kind of record that is written to it. */
export interface WrittenObject extends Sample {
  readonly provider: string;
  /** As the guide calls the provider, and the object. */
  readonly displayName: string;
  readonly name: string;
  readonly objectName: string;
  /** What describes the provider, where a file does. */
  readonly file?: Declaration;
  /** What a create of it is looked up by; absent: it is not. */
  readonly key?: string;
  /** What a lookup sees: every committed record at once, or an index that lags. */
  readonly lookup: 'consistent' | 'lagging' | 'none';
  /** The provider refuses a second record with this key. */
  readonly isUnique?: boolean;
  /** From the last send to the moment at which "not written" or "unknown" may be said, in seconds. */
  readonly windowSeconds: number;
  /** Each loss is tried on it; on the other objects of its file, of which the file says the same, the first one. @default true */
  readonly isTriedWhole?: boolean;
}

const emailOf = (mark: string) => `${mark}@example.com`;
const named = (mark: string) => ({ name: mark });

/** Of HubSpot and Salesforce, what makes a difference: a key that the connector knows, one that the account says, and none. */
const ofCode: readonly WrittenObject[] = [
  {
    provider: 'hubspot',
    displayName: 'HubSpot',
    name: 'contacts with `email`',
    objectName: 'contacts',
    record: (mark) => ({ email: emailOf(mark), lastname: mark, firstname: 'Zoë' }),
    markField: 'lastname',
    change: { city: 'Reykjavík' },
    key: 'batch read by `email`',
    lookup: 'consistent',
    isUnique: true,
    windowSeconds: 36,
  },
  {
    provider: 'hubspot',
    displayName: 'HubSpot',
    name: 'any, with a unique property',
    objectName: 'companies',
    record: (mark) => ({ name: mark, account_code: mark }),
    markField: 'name',
    change: { city: 'Reykjavík' },
    key: 'batch read by the property',
    lookup: 'consistent',
    isUnique: true,
    windowSeconds: 66,
  },
  {
    provider: 'hubspot',
    displayName: 'HubSpot',
    name: 'any other',
    objectName: 'contacts',
    record: (mark) => ({ lastname: mark, firstname: 'Zoë' }),
    markField: 'lastname',
    change: { city: 'Reykjavík' },
    key: 'search: up to five sent values and the moment of creation',
    lookup: 'lagging',
    windowSeconds: 66,
  },
  {
    provider: 'salesforce',
    displayName: 'Salesforce',
    name: 'any, with a unique field',
    objectName: 'Contact',
    record: (mark) => ({ External_Id__c: mark, LastName: mark }),
    markField: 'LastName',
    change: { Title: 'Reykjavík' },
    key: 'SOQL: the unique field and the moment of creation',
    lookup: 'consistent',
    isUnique: true,
    windowSeconds: 606,
  },
  {
    provider: 'salesforce',
    displayName: 'Salesforce',
    name: 'any other',
    objectName: 'Opportunity',
    record: (mark) => ({ Name: mark, StageName: 'Prospecting', CloseDate: '2027-01-31' }),
    markField: 'Name',
    change: { StageName: 'Qualification' },
    key: 'SOQL: the most identifying sent value and the moment of creation',
    lookup: 'consistent',
    windowSeconds: 606,
  },
];

/**
 * By provider and object, as the files name them; where the file says that a field is unique, with `+` a record that sets it. The rows come
 * out of the files: an object of a file that has no sample here fails the suite by its name.
 */
const samples: Readonly<Record<string, Readonly<Record<string, Sample>>>> = {
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
      record: (mark) => ({ name: mark, emails: [{ value: emailOf(mark), primary: true }] }),
      markField: 'name',
      change: { job_title: 'Ingénieure' },
    },
    organizations: { record: named, markField: 'name', change: { owner_id: 4711 } },
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

/** What a file's objects are written as: one with a unique field with it and without. */
function objectsOf(file: Declaration): WrittenObject[] {
  const common = {
    provider: file.name,
    displayName: file.displayName,
    file,
    // The lease, and the longer of the call's timeout and the late commit.
    windowSeconds: 6 + Math.max(30, (file.lateCommitMs ?? 30_000) / 1_000),
  };
  return Object.entries(file.objects).flatMap(([key, { unique }], at): WrittenObject[] => {
    const sampleOf = (name: string) => {
      const sample = samples[file.name]?.[name];
      if (sample === undefined) throw new Error(`${file.name}: promises/objects.ts has no record of ${name}`);
      return { ...sample, objectName: sample.objectName ?? key };
    };
    const other = { ...common, ...sampleOf(key), lookup: 'none', isTriedWhole: at === 0 } as const;
    // Without a search nothing can be looked up.
    if (unique === undefined || file.search === undefined) return [{ ...other, name: key === '*' ? 'any other' : key }];
    const by = { key: `search by \`${unique}\``, lookup: 'consistent', isUnique: true } as const;
    return [
      { ...common, ...sampleOf(`${key}+`), ...by, name: `${key} with \`${unique}\`` },
      { ...other, name: `${key} without \`${unique}\`` },
    ];
  });
}

/** Every object of the guide, in its order. */
export const objects: readonly WrittenObject[] = [...ofCode, ...loadDeclarations().flatMap(objectsOf)];
