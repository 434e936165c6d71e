import type { FieldMetadata, FieldValueType, ObjectMetadata } from '@sluice/types';
import type { ProviderError } from '@sluice/errors';
import type { AccountCache } from '../account-cache';
import { toProviderError } from '../failures';
import { type Json, isJson, listOf, textOf } from '../json';
import type { ObjectCall } from '../requests';
import type { HubspotApi } from './call-hubspot';
import { canonicalObjectName } from './urls';
import { textsOf } from './wire';

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

/** HubSpot's property types. A number may have decimals; a phone number is a text. Source: reference A6. */
const valueTypes: Readonly<Record<string, FieldValueType>> = {
  string: 'string',
  phone_number: 'string',
  number: 'float',
  bool: 'boolean',
  date: 'date',
  datetime: 'datetime',
};

/** A property of HubSpot as metadata; undefined for one without a name. `required` is undefined where that is not known. */
function toFieldMetadata(property: Json, required: ReadonlySet<string> | undefined): FieldMetadata | undefined {
  const fieldName = textOf(property['name']);
  if (fieldName === undefined) return undefined;
  const providerType = textOf(property['type']);
  const valueType = valueTypeOf(property, providerType);
  const target = textOf(property['referencedObjectType']);
  const values = valuesOf(property['options']);
  const { hubspotDefined } = property;
  return {
    fieldName,
    displayName: textOf(property['label']) ?? fieldName,
    ...(valueType && { valueType }),
    ...(providerType !== undefined && { providerType }),
    readOnly: isReadOnly(property),
    ...(typeof hubspotDefined === 'boolean' && { isCustom: !hubspotDefined }),
    ...(required && { isRequired: required.has(fieldName) }),
    ...(target !== undefined && { referenceTo: [target] }),
    ...(values.length > 0 && { values }),
  };
}

function valueTypeOf(property: Json, providerType: string | undefined): FieldValueType | undefined {
  if (providerType === undefined) return undefined;
  if (providerType !== 'enumeration')
    return Object.hasOwn(valueTypes, providerType) ? valueTypes[providerType] : 'other';
  // Owners are an enumeration whose options stand elsewhere.
  if (textOf(property['referencedObjectType']) !== undefined) return 'reference';
  return property['fieldType'] === 'checkbox' ? 'multiSelect' : 'singleSelect';
}

function isReadOnly({ modificationMetadata, calculated }: Json): boolean {
  return calculated === true || (isJson(modificationMetadata) && modificationMetadata['readOnlyValue'] === true);
}

function valuesOf(options: unknown): { value: string; displayValue: string }[] {
  const listed: unknown[] = Array.isArray(options) ? options : [];
  return listed.filter(isJson).flatMap((option) => {
    const value = textOf(option['value']);
    return value === undefined ? [] : [{ value, displayValue: textOf(option['label']) ?? value }];
  });
}

/** Properties of objects as HubSpot lists them. */
export type PropertyCache = AccountCache<readonly Json[]>;

/**
 * `GET /crm/v3/properties/{object}`, kept for about a minute per credential and object. Source: reference A6.
 * @throws ProviderError
 */
async function readProperties(api: HubspotApi, cache: PropertyCache, call: ObjectCall): Promise<readonly Json[]> {
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

/** What an account's schema of one object tells beyond its properties. */
export interface ObjectSchema {
  /** Plural: `Contacts`. */
  readonly label?: string;
  readonly requiredFields: ReadonlySet<string>;
  /** Association type id to the type ids of the objects it can point to: `279` to `0-2`. */
  readonly targets: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Kept answers; undefined where the account or its scopes have no schema of the object. */
export type SchemaCache = AccountCache<ObjectSchema | undefined>;

/**
 * `GET /crm-object-schemas/…/schemas/{object}`. Standard objects may answer 403 or 404, which is no failure here.
 * Source: reference A4, A6.
 * @throws ProviderError
 */
export async function readSchema(
  api: HubspotApi,
  cache: SchemaCache,
  call: ObjectCall,
): Promise<ObjectSchema | undefined> {
  // Without the caller's signal: others may be waiting for the same answer.
  const { signal: _, held: __, ...shared } = call;
  return cache.get(call.auth, canonicalObjectName(call.objectName), async () => {
    const path = api.urls.schema(call.objectName);
    const answer = await api.call({ operation: 'schema', method: 'GET', path }, shared);
    if (answer.ok) return toSchema(answer.body);
    const error = toProviderError(answer.failure, 'hubspot');
    if (isWithheld(error)) return undefined;
    throw error;
  });
}

function isWithheld(error: ProviderError): boolean {
  return error.class === 'forbidden' || error.meta['status'] === 404;
}

function toSchema(body: Json): ObjectSchema {
  const label = isJson(body['labels']) ? textOf(body['labels']['plural']) : undefined;
  const own = textOf(body['objectTypeId']);
  const targets = new Map<string, Set<string>>();
  for (const type of listOf(body['associations'])) {
    const [id, to, from] = [textsOf(type['id'])[0], textOf(type['toObjectTypeId']), textOf(type['fromObjectTypeId'])];
    if (id === undefined || to === undefined || (own !== undefined && from !== undefined && from !== own)) continue;
    targets.set(id, (targets.get(id) ?? new Set()).add(to));
  }
  return {
    ...(label !== undefined && { label }),
    requiredFields: new Set(textsOf(body['requiredProperties'])),
    targets,
  };
}
