import type { ObjectMetadata } from '@sluice/types';
import type { AccountCache } from '../account-cache';
import type { ObjectCall } from '../requests';
import { toProviderError } from '../thrown-failure';
import type { HubspotApi } from './call-hubspot';
import { toFieldMetadata } from './field-metadata';
import { canonicalObjectName } from './object-names';
import { readSchema, type SchemaCache } from './object-schema';
import { isJson, type Json } from './wire';

/** What the connector keeps of an account for a minute. */
export interface HubspotCaches {
  readonly properties: AccountCache<readonly Json[]>;
  readonly schemas: SchemaCache;
}

/**
 * The object's properties, and from its schema which of them a create needs. Without a schema `isRequired` is absent.
 * Source: reference A6.
 * @throws ProviderError
 */
export async function describe(api: HubspotApi, caches: HubspotCaches, call: ObjectCall): Promise<ObjectMetadata> {
  // One after the other: what refuses the first would refuse the second too.
  const properties = await readProperties(api, caches.properties, call);
  const schema = await readSchema(api, caches.schemas, call);
  const fields = properties
    .map((property) => toFieldMetadata(property, schema?.requiredFields))
    .filter((field) => field !== undefined);
  return {
    name: call.objectName,
    ...(schema?.label !== undefined && { displayName: schema.label }),
    fields: Object.fromEntries(fields.map((field) => [field.fieldName, field])),
  };
}

/** `GET /crm/v3/properties/{object}`. */
async function readProperties(
  api: HubspotApi,
  cache: HubspotCaches['properties'],
  call: ObjectCall,
): Promise<readonly Json[]> {
  const { signal: _, ...shared } = call;
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
