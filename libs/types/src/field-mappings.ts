import type { ManifestReadObject } from './manifest';
import type { ReadObjectConfig } from './read-config';

/**
 * Names a builder uses for a customer's fields: mapped name to provider field.
 * `undefined`: the mapping is declared, but the user left it unset.
 */
export type FieldMappings = ReadonlyMap<string, string | undefined>;

/**
 * The read mappings of one object. Sources, a later one wins: manifest, dynamic mappings with a field, the user's selection.
 * Spec is silent on their order; we chose it, see rulings.
 */
export function fieldMappings(
  declared: ManifestReadObject | undefined,
  config: Partial<ReadObjectConfig> | undefined,
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
  return mappings;
}
