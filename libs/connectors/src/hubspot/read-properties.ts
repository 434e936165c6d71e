import type { AccountCache } from '../account-cache';
import type { ObjectCall } from '../requests';
import { toProviderError } from '../thrown-failure';
import type { HubspotApi } from './call-hubspot';
import { canonicalObjectName } from './object-names';
import { isJson, textOf, type Json } from './wire';

/** Properties of objects as HubSpot lists them. */
export type PropertyCache = AccountCache<readonly Json[]>;

/**
 * `GET /crm/v3/properties/{object}`, kept for about a minute per credential and object. Source: reference A6.
 * @throws ProviderError
 */
export async function readProperties(
  api: HubspotApi,
  cache: PropertyCache,
  call: ObjectCall,
): Promise<readonly Json[]> {
  const { signal: _, held: __, ...shared } = call;
  return cache.get(call.auth, canonicalObjectName(call.objectName), async () => {
    const path = api.urls.properties(call.objectName);
    const answer = await api.call({ operation: 'properties', method: 'GET', path }, shared);
    if (!answer.ok) throw toProviderError(answer.failure, 'hubspot');
    const { results } = answer.body;
    if (Array.isArray(results)) return results.filter(isJson);
    const message = 'HubSpot answered without a list of properties';
    throw toProviderError({ class: 'unavailable', scope: 'call', message }, 'hubspot');
  });
}

/** Every record has one of its own, and none sends it. */
const recordIdProperty = 'hs_object_id';

/**
 * Names of the properties that the account keeps unique, in alphabetical order. Source: reference A2, A6.
 * @throws ProviderError
 */
export async function uniqueProperties(api: HubspotApi, cache: PropertyCache, call: ObjectCall): Promise<string[]> {
  const properties = await readProperties(api, cache, call);
  const unique = properties.filter(({ hasUniqueValue }) => hasUniqueValue === true);
  const names = unique.flatMap(({ name }) => textOf(name) ?? []);
  return names.filter((name) => name !== recordIdProperty).sort();
}
