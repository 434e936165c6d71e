import type { ManifestReadObject } from './manifest';
import type { ReadObjectConfig } from './read-config';
import { nestedField, normalFieldName, type FieldNameForm, type FieldOf } from './field-names';
import type { JsonValue } from './write-request';

/**
 * Names a builder uses for a customer's fields: mapped name to provider field.
 * `undefined`: the mapping is declared, but the user left it unset.
 */
export type FieldMappings = ReadonlyMap<string, string | undefined>;

/**
 * The read mappings of one object. Sources, a later one wins: manifest, dynamic mappings with a field, the user's selection.
 * Spec is silent on their order; we chose it, see rulings.
 * @param fieldOf the provider's spelling of a field @default as it is written
 */
export function fieldMappings(
  declared: ManifestReadObject | undefined,
  config: Partial<ReadObjectConfig> | undefined,
  fieldOf: FieldOf = (name) => name,
): FieldMappings {
  const mappings = new Map<string, string | undefined>();
  for (const { mapToName, fieldName } of [...(declared?.requiredFields ?? []), ...(declared?.optionalFields ?? [])]) {
    if (mapToName !== undefined) mappings.set(mapToName, fieldName);
  }
  for (const { mapToName, fieldName } of config?.dynamicMappingsInput ?? []) {
    if (fieldName !== undefined || !mappings.has(mapToName)) mappings.set(mapToName, fieldName);
  }
  for (const [name, field] of Object.entries(config?.selectedFieldMappings ?? {})) {
    // An empty choice is none: a form sends it for what the user left open.
    mappings.set(name, field === '' ? undefined : field);
  }
  return new Map([...mappings].map(([name, field]) => [name, field === undefined ? undefined : fieldOf(field)]));
}

/** Of a provider field: the builder's value to the provider's. Undefined: none is mapped. */
export type ValueMappings = (field: string) => ReadonlyMap<string, string> | undefined;

/**
 * The value mappings of one object, to be asked under any spelling that means the field; of two spellings in the config the
 * first holds. Maps, not objects: a field may be called like a member of Object.prototype.
 * Source: specification, selectedValueMappings.
 */
export function valueMappings(
  config: Pick<ReadObjectConfig, 'selectedValueMappings'> | undefined,
  form: FieldNameForm,
  fieldOf: FieldOf = nestedField,
): ValueMappings {
  const keyOf = (field: string): string => normalFieldName(fieldOf(field) ?? field, form);
  const byField = new Map<string, ReadonlyMap<string, string>>();
  for (const [field, values] of Object.entries(config?.selectedValueMappings ?? {})) {
    const name = keyOf(field);
    if (!byField.has(name)) byField.set(name, new Map(Object.entries(values)));
  }
  return (field) => (byField.size === 0 ? undefined : byField.get(keyOf(field)));
}

/** The provider's value for one that the builder knows. Texts only. */
export function toProviderValue<Value>(mappings: ValueMappings, field: string, value: Value): Value | string {
  return typeof value === 'string' ? (mappings(field)?.get(value) ?? value) : value;
}

/** The value that the builder knows for one of the provider's. The first wins where two lead to the same. */
export function toDeliveredValue(mappings: ValueMappings, field: string, value: JsonValue): JsonValue {
  const found = [...(mappings(field) ?? [])].find(([, providerValue]) => providerValue === value);
  return found === undefined ? value : found[0];
}
