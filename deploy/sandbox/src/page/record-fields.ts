import type { ShownRecord } from '../control/imitated-provider';

/** What a person wants to see of a record at first sight, by the object's plain name. */
const mainFields: Readonly<Record<string, readonly string[]>> = {
  contacts: ['email', 'firstname', 'lastname', 'phone', 'company', 'lifecyclestage'],
  companies: ['name', 'domain', 'industry', 'city', 'numberofemployees'],
  deals: ['dealname', 'amount', 'dealstage', 'pipeline', 'closedate'],
  Account: ['Name', 'Industry', 'Website', 'Phone', 'BillingCity'],
  Contact: ['LastName', 'FirstName', 'Email', 'Phone', 'AccountId'],
  Lead: ['LastName', 'FirstName', 'Company', 'Email', 'Status'],
  Opportunity: ['Name', 'StageName', 'Amount', 'CloseDate', 'AccountId'],
};

/** Columns of an object that is not among them. */
const COLUMNS_MAX = 5;

/** The values of a record, whichever provider holds it; unset ones are left out. */
export function valuesOf({ properties, fields }: ShownRecord): ReadonlyMap<string, string> {
  const values = Object.entries(properties ?? fields ?? {});
  return new Map(
    values.filter(([, value]) => value !== null && value !== '').map(([name, value]) => [name, text(value)]),
  );
}

/** Columns for these records: the main fields of the object, else the first ones that occur. */
export function columnsOf(object: string, records: readonly ShownRecord[]): readonly string[] {
  const known = mainFields[object];
  if (known) return known;
  return [...new Set(records.flatMap((record) => [...valuesOf(record).keys()]))].slice(0, COLUMNS_MAX);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
