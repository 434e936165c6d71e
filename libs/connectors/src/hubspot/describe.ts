import type { ObjectMetadata } from '@sluice/types';
import type { ObjectCall } from '../requests';
import type { HubspotApi } from './call-hubspot';
import { toFieldMetadata } from './field-metadata';
import { readSchema, type SchemaCache } from './object-schema';
import { readProperties, type PropertyCache } from './read-properties';

/** What the connector keeps of an account for a minute. */
export interface HubspotCaches {
  readonly properties: PropertyCache;
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
