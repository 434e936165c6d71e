import type { ProviderName } from '../../harness/account';

/** What happens to the first send of a write. */
export type Loss = 'applied' | 'not applied' | 'applied late';

/** How a write ends whose first send met a loss. */
export interface Ending {
  /** Of each record, as the operation reports it. */
  readonly outcome: 'succeeded' | 'unknown';
  /** Records at the CRM that carry the write, per record written. A delete leaves none. */
  readonly kept: 0 | 1;
  readonly sends: 1 | 2;
}

/** An object with the kind of record that is written to it. */
export interface WrittenObject {
  readonly provider: ProviderName;
  /** As it stands in the guide. */
  readonly name: string;
  readonly objectName: string;
  /** A valid record that carries the mark. */
  readonly record: (mark: string) => Readonly<Record<string, string>>;
  /** The field that carries the mark as it is. */
  readonly markField: string;
  /** A field to update. */
  readonly otherField: string;
  /** What a create of it is looked up by. */
  readonly key: string;
  /** The provider refuses a second record with this key. */
  readonly isUnique: boolean;
  /** Whether a lookup sees every committed record at once. */
  readonly isConsistent: boolean;
  /** The connector knows so without asking the account, and waits for no index. @default isConsistent */
  readonly isKeyKnown?: boolean;
  /** The sandbox has it. What it has not is compared with the connector only. */
  readonly isImitated: boolean;
}

/** One record, or several in one request. */
export type Form = 'single' | 'batch';

/** One row of the guide. */
export interface PromiseRow {
  readonly object: WrittenObject;
  readonly type: 'create' | 'update' | 'delete';
  readonly mode: 'asynchronous' | 'synchronous';
  /** It holds for each of them. */
  readonly forms: readonly Form[];
  readonly prevented: string;
  readonly lookedUpBy: string;
  /** From the last send to the moment at which "not written" may be concluded, in seconds; none where there is no lookup. */
  readonly windowSeconds?: number;
  readonly promise: string;
  readonly caller: string;
  readonly endings: Partial<Readonly<Record<Loss, Ending>>>;
}

const once = { outcome: 'succeeded', kept: 1, sends: 1 } as const;
const repeated = { outcome: 'succeeded', kept: 1, sends: 2 } as const;
const unknown = (kept: 0 | 1) => ({ outcome: 'unknown', kept, sends: 1 }) as const;

const person = (mark: string) => ({ email: `${mark}@example.com`, lastname: mark, firstname: 'Zoë' });

type Given = Pick<WrittenObject, 'name' | 'objectName' | 'record' | 'markField' | 'otherField'> &
  Partial<WrittenObject>;

const ofHubspot = (o: Given): WrittenObject => ({
  provider: 'hubspot',
  key: 'search: up to five sent values and the moment of creation',
  isUnique: false,
  isConsistent: false,
  isImitated: true,
  ...o,
});
const ofSalesforce = (o: Given): WrittenObject => ({
  provider: 'salesforce',
  key: 'SOQL: the most identifying sent value and the moment of creation',
  isUnique: false,
  isConsistent: true,
  isImitated: true,
  ...o,
});

export const objects: readonly WrittenObject[] = [
  ofHubspot({
    name: 'contacts with `email`',
    objectName: 'contacts',
    record: person,
    markField: 'lastname',
    otherField: 'city',
    key: 'batch read by `email`',
    isUnique: true,
    isConsistent: true,
  }),
  ofHubspot({
    name: 'contacts without `email`',
    objectName: 'contacts',
    record: (mark) => ({ lastname: mark, firstname: 'Zoë' }),
    markField: 'lastname',
    otherField: 'city',
  }),
  ofHubspot({
    name: 'companies',
    objectName: 'companies',
    record: (mark) => ({ name: mark, city: 'Zürich' }),
    markField: 'name',
    otherField: 'city',
  }),
  ofHubspot({
    name: 'any, with a unique property',
    objectName: 'companies',
    record: (mark) => ({ name: mark, account_code: mark }),
    markField: 'name',
    otherField: 'city',
    key: 'batch read by the property',
    isUnique: true,
    isConsistent: true,
    isKeyKnown: false,
  }),
  ofHubspot({
    name: 'deals',
    objectName: 'deals',
    record: (mark) => ({ dealname: mark, amount: '1200.5' }),
    markField: 'dealname',
    otherField: 'amount',
  }),
  ofHubspot({
    name: 'custom objects',
    objectName: '2-1234567',
    record: (mark) => ({ name: mark }),
    markField: 'name',
    otherField: 'name',
    isImitated: false,
  }),
  ofSalesforce({
    name: 'any, with a unique field',
    objectName: 'Contact',
    record: (mark) => ({ External_Id__c: mark, LastName: mark }),
    markField: 'LastName',
    otherField: 'Title',
    key: 'SOQL: the unique field and the moment of creation',
    isUnique: true,
  }),
  ofSalesforce({
    name: 'Account',
    objectName: 'Account',
    record: (mark) => ({ Name: mark, BillingCity: 'Zürich' }),
    markField: 'Name',
    otherField: 'BillingCity',
  }),
  ofSalesforce({
    name: 'Contact',
    objectName: 'Contact',
    record: (mark) => ({ LastName: mark, Email: `${mark}@example.com` }),
    markField: 'LastName',
    otherField: 'Title',
  }),
  ofSalesforce({
    name: 'Lead',
    objectName: 'Lead',
    record: (mark) => ({ LastName: mark, Company: 'Analytical Engines' }),
    markField: 'LastName',
    otherField: 'Title',
  }),
  ofSalesforce({
    name: 'Opportunity',
    objectName: 'Opportunity',
    record: (mark) => ({ Name: mark, StageName: 'Prospecting', CloseDate: '2027-01-31' }),
    markField: 'Name',
    otherField: 'StageName',
  }),
  ofSalesforce({
    name: 'custom objects',
    objectName: 'Thing__c',
    record: (mark) => ({ Name: mark }),
    markField: 'Name',
    otherField: 'Name',
    isImitated: false,
  }),
];

/** The lease, the longer of the call's timeout and the provider's late commit, and the lag of its index; as the connectors say. */
function windowOf({ provider, isConsistent, isKeyKnown = isConsistent }: WrittenObject): number {
  return provider === 'salesforce' ? 606 : isKeyKnown ? 36 : 66;
}

const both = ['single', 'batch'] as const;

function asynchronousCreate(object: WrittenObject): PromiseRow {
  const resend = object.isUnique ? 'the lookup, and the unique key' : 'the lookup';
  return {
    object,
    type: 'create',
    mode: 'asynchronous',
    forms: both,
    prevented: object.isConsistent ? resend : 'never sent again',
    lookedUpBy: object.key,
    windowSeconds: windowOf(object),
    promise: object.isConsistent ? 'exactly once (but see rules 4 and 5)' : 'at most once; an unknown outcome is said',
    caller: object.isConsistent ? '`success`' : '`success`, or `failure` with "Outcome unknown: …"',
    endings: {
      applied: once,
      'not applied': object.isConsistent ? repeated : unknown(0),
      'applied late': once,
    },
  };
}

function synchronousCreate(object: WrittenObject): PromiseRow {
  return {
    object,
    type: 'create',
    mode: 'synchronous',
    forms: both,
    prevented: 'never sent again',
    lookedUpBy: 'nothing, unless the gateway died: then as above, and never sent',
    promise: 'at most once; an unknown outcome is said',
    caller: '502 or 504, `retryable: false`',
    endings: { applied: unknown(1), 'not applied': unknown(0) },
  };
}

function asynchronousUpdate(object: WrittenObject): PromiseRow {
  return {
    object,
    type: 'update',
    mode: 'asynchronous',
    forms: both,
    prevented: 'not needed: the values are absolute',
    lookedUpBy: 'nothing; the next write of the record waits out the late commit',
    promise: 'repeated, same end state',
    caller: '`success`; after the deadline `failure` with "Outcome unknown: …"',
    endings: { applied: repeated, 'not applied': repeated },
  };
}

function synchronousUpdate(object: WrittenObject): PromiseRow {
  return {
    object,
    type: 'update',
    mode: 'synchronous',
    forms: both,
    prevented: 'never sent again; the caller may',
    lookedUpBy: 'nothing',
    promise: 'the caller repeats, same end state',
    caller: '502 or 504, `retryable: true`',
    endings: { applied: unknown(1), 'not applied': unknown(0) },
  };
}

function synchronousDelete(object: WrittenObject): PromiseRow {
  const gone = object.provider === 'hubspot' ? 'the repeat succeeds' : 'the repeat is `not-found`: it was deleted';
  return {
    object,
    type: 'delete',
    mode: 'synchronous',
    forms: ['single'],
    prevented: 'never sent again; the caller may',
    lookedUpBy: 'nothing',
    promise: 'the caller repeats, same end state',
    caller: `502 or 504, \`retryable: true\`; ${gone}`,
    endings: { applied: unknown(0), 'not applied': unknown(1) },
  };
}

/** Every row of the guide, in its order. */
export const rows: readonly PromiseRow[] = objects.flatMap((object) => [
  asynchronousCreate(object),
  synchronousCreate(object),
  asynchronousUpdate(object),
  synchronousUpdate(object),
  synchronousDelete(object),
]);
