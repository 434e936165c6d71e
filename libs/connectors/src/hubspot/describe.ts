import type { FieldMetadata, FieldValueType, ObjectMetadata } from '@sluice/types';
import { isJson, type Json, listOf, textOf } from '../http-client';
import { toProviderError, unreadable } from '../provider-call';
import type { ObjectCall } from '../requests';
import type { HubspotApi } from './call-hubspot';
import { canonicalObjectName, type ObjectSchema, paths, toSchema } from './wire';

/**
 * The object's properties, and from its schema which of them a create needs. Without a schema `isRequired` is absent.
 * Source: reference A6.
 * @throws ProviderError
 */
export async function describe(api: HubspotApi, call: ObjectCall): Promise<ObjectMetadata> {
  // One after the other: what refuses the first would refuse the second too. The properties last: they are counted while they are in use.
  const schema = await readSchema(api, call);
  const properties = await readProperties(api, call);
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
  // Owners are an enumeration whose options are elsewhere.
  if (textOf(property['referencedObjectType']) !== undefined) return 'reference';
  return property['fieldType'] === 'checkbox' ? 'multiSelect' : 'singleSelect';
}

function isReadOnly({ modificationMetadata, calculated }: Json): boolean {
  return calculated === true || (isJson(modificationMetadata) && modificationMetadata['readOnlyValue'] === true);
}

function valuesOf(options: unknown): { value: string; displayValue: string }[] {
  return listOf(options).flatMap((option) => {
    const value = textOf(option['value']);
    return value === undefined ? [] : [{ value, displayValue: textOf(option['label']) ?? value }];
  });
}

/**
 * `GET /crm/v3/properties/{object}`, kept for about a minute per credential and object. Source: reference A6.
 * @throws ProviderError
 */
async function readProperties(api: HubspotApi, call: ObjectCall): Promise<readonly Json[]> {
  return api.properties.get(call, canonicalObjectName(call.objectName), async (shared) => {
    const path = paths.properties(call.objectName);
    const answer = await api.call({ operation: 'properties', method: 'GET', path }, shared);
    if (!answer.ok) throw toProviderError(answer.failure, 'hubspot');
    const { results } = answer.body;
    if (Array.isArray(results)) return listOf(results);
    throw unreadable('hubspot', 'HubSpot answered without a list of properties');
  });
}

/** Every record has one of its own, and none sends it. */
const recordIdProperty = 'hs_object_id';

/**
 * Names of the properties that the account keeps unique, in alphabetical order. Source: reference A2, A6.
 * @throws ProviderError
 */
export async function uniqueProperties(api: HubspotApi, call: ObjectCall): Promise<string[]> {
  const properties = await readProperties(api, call);
  const unique = properties.filter(({ hasUniqueValue }) => hasUniqueValue === true);
  const names = unique.flatMap(({ name }) => textOf(name) ?? []);
  return names.filter((name) => name !== recordIdProperty).sort();
}

/**
 * `GET /crm-object-schemas/…/schemas/{object}`. Standard objects may be refused with 403 or 404, which is no failure here.
 * Source: reference A4, A6.
 * @throws ProviderError
 */
export async function readSchema(api: HubspotApi, call: ObjectCall): Promise<ObjectSchema | undefined> {
  return api.schemas.get(call, canonicalObjectName(call.objectName), async (shared) => {
    const path = paths.schema(call.objectName);
    const answer = await api.call({ operation: 'schema', method: 'GET', path }, shared);
    if (answer.ok) return toSchema(answer.body);
    const { class: failed, status } = answer.failure;
    if (failed === 'forbidden' || (failed === 'rejected' && status === 404)) return undefined;
    throw toProviderError(answer.failure, 'hubspot');
  });
}
