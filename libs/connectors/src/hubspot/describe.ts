import type { ObjectMetadata, FieldMetadata, FieldValueType } from '@sluice/types';
import type { ObjectCall } from '../requests';
import type { HubspotApi } from './call-hubspot';
import { readSchema, type SchemaCache, readProperties, type PropertyCache } from './read-properties';
import { isJson, textOf, type Json } from './wire';

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
