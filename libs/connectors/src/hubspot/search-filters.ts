import type { Fields } from '../requests';
import { canonicalObjectName } from './object-names';
import { normalizeValue } from './same-value';
import type { SearchFilter } from './search';

/** A group takes 6 filters; one is for the time of creation. Source: reference A5. */
const sentMax = 5;
/** Longer texts are descriptions, which HubSpot's index need not hold whole. */
const valueLengthMax = 200;

/** Names that tell records apart best, best first. Phone numbers come late: HubSpot may rewrite them. */
const telling = [
  'email',
  'domain',
  'name',
  'dealname',
  'subject',
  'lastname',
  'firstname',
  'company',
  'website',
  'phone',
];

/** Objects whose time of creation is `createdate`; engagements and custom objects have `hs_createdate`. */
const withCreatedate = new Set(['contacts', 'companies', 'deals', 'tickets', 'products', 'line_items']);

/** The property that holds the time of creation. Source: reference A5. */
export function createdProperty(objectName: string): string {
  return withCreatedate.has(canonicalObjectName(objectName)) ? 'createdate' : 'hs_createdate';
}

/** Up to five sent texts and numbers, the most telling first. Empty when none can be searched for. */
export function sentFilters(fields: Fields): SearchFilter[] {
  return Object.entries(fields)
    .filter(([, value]) => isSearchable(value))
    .map(([propertyName, value]) => ({ propertyName, operator: 'EQ' as const, value: String(value).trim() }))
    .sort((one, other) => rank(one.propertyName) - rank(other.propertyName) || other.value.length - one.value.length)
    .slice(0, sentMax);
}

function isSearchable(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const text = normalizeValue(value);
  return text !== '' && text.length <= valueLengthMax && !text.includes(';');
}

function rank(name: string): number {
  const at = telling.indexOf(name);
  return at < 0 ? telling.length : at;
}
