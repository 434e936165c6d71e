import type { ObjectCall, SearchRequest } from '../requests';
import type { ProviderRecord } from '../results';
import type { HubspotApi } from './call-hubspot';
import type { HubspotAnswer } from './hubspot-request';
import { toProviderError } from '../thrown-failure';
import { toProviderRecord } from './provider-record';
import { readBatch } from './wire';

/** Records of one page. Source: reference A5. */
export const searchPageMax = 200;

/** A filter of HubSpot; values are JSON texts, never part of a query string. */
export interface SearchFilter {
  readonly propertyName: string;
  readonly operator: 'EQ' | 'GTE';
  readonly value: string;
}

/** Filters inside a group are joined by AND, groups by OR. */
export interface SearchBody {
  readonly filterGroups: readonly { readonly filters: readonly SearchFilter[] }[];
  readonly properties: readonly string[];
  readonly limit: number;
  readonly sorts?: readonly { readonly propertyName: string; readonly direction: 'ASCENDING' }[];
}

/** `POST /objects/{object}/search`. Reads an index that lags behind writes. Source: reference A5. */
export function postSearch(api: HubspotApi, body: SearchBody, call: ObjectCall): Promise<HubspotAnswer> {
  return api.call({ operation: 'search', method: 'POST', path: api.urls.search(call.objectName), body }, call);
}

/**
 * One page of the records that equal every filter. HubSpot takes 6 filters per group by its guide; what it refuses
 * is thrown as it says it.
 * @throws ProviderError
 */
export async function search(api: HubspotApi, request: SearchRequest): Promise<ProviderRecord[]> {
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
  return readBatch(answer.body).results.map(toProviderRecord);
}
