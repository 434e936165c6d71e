import { toProviderError } from '../provider-call';
import type { Fields, ObjectCall, SearchRequest } from '../requests';
import type { ProviderRecord, RecordPage } from '../results';
import type { HubspotAnswer, HubspotApi } from './call-hubspot';
import { canonicalObjectName, normalizeValue, paths, readBatch, readRecord, toProviderRecord } from './wire';

/** Records of one page. Source: reference A5. */
export const searchPageMax = 200;

/** A filter of HubSpot; values are JSON texts, never part of a query string. */
export interface SearchFilter {
  readonly propertyName: string;
  readonly operator: 'EQ' | 'GTE';
  readonly value: string;
}

/** Filters inside a group are joined by AND, groups by OR. */
interface SearchBody {
  readonly filterGroups: readonly { readonly filters: readonly SearchFilter[] }[];
  readonly properties: readonly string[];
  readonly limit: number;
  readonly sorts?: readonly { readonly propertyName: string; readonly direction: 'ASCENDING' }[];
}

/** The page of a search, or why there is none. */
type Searched =
  | { readonly ok: true; readonly records: readonly ProviderRecord[]; readonly total: number }
  | Extract<HubspotAnswer, { ok: false }>;

/**
 * `POST /objects/{object}/search`. Reads an index that lags behind writes. A reply without its list, its total, or the id of a record in it
 * is a failure: it is no proof that nothing was found. Source: reference A5.
 */
export async function postSearch(api: HubspotApi, body: SearchBody, call: ObjectCall): Promise<Searched> {
  const request = { operation: 'search', method: 'POST', path: paths.search(call.objectName), body } as const;
  const answer = await api.call(request, call);
  if (!answer.ok) return answer;
  const { total, results } = answer.body;
  if (typeof total === 'number' && Array.isArray(results) && results.every((each) => readRecord(each) !== undefined)) {
    return { ok: true, records: readBatch(answer.body).results.map(toProviderRecord), total };
  }
  const message = 'HubSpot answered a search without a list of records and their total';
  return { ok: false, failure: { class: 'unavailable', scope: 'call', message } };
}

/**
 * One page of the records that equal every filter. HubSpot takes 6 filters per group by its guide; what it refuses
 * is thrown with its own text.
 * @throws ProviderError
 */
export async function search(api: HubspotApi, request: SearchRequest): Promise<RecordPage> {
  const filters = request.filters.map(({ field, value }) => ({
    propertyName: field,
    operator: 'EQ' as const,
    value: String(value),
  }));
  const answer = await postSearch(
    api,
    {
      filterGroups: filters.length ? [{ filters }] : [],
      properties: request.fields,
      limit: Math.min(request.limit, searchPageMax),
    },
    request,
  );
  if (!answer.ok) throw toProviderError(answer.failure, 'hubspot');
  const { records, total } = answer;
  return { records, hasMore: total > records.length };
}

/** A group takes 6 filters; one is for the time of creation. Source: reference A5. */
const sentMax = 5;
/** Longer texts are descriptions, which HubSpot's index need not hold whole. */
const valueLengthMax = 200;

/** Names that distinguish records best, best first. Phone numbers come late: HubSpot may rewrite them. */
const distinctive = [
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
  const at = distinctive.indexOf(name);
  return at < 0 ? distinctive.length : at;
}
