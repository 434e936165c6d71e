import type { SearchableObject } from './searchable-object';

/** How the builder's names and the provider's names of one object relate. */
export interface FieldNames {
  /** Mapped name to provider field. Undefined: declared, but the user left the mapping unset. */
  readonly mapped: ReadonlyMap<string, string | undefined>;
  /** Provider fields that are read without a mapping, as the manifest or the config spells them. */
  readonly unmapped: readonly string[];
}

/**
 * Sources, a later one wins: manifest, dynamic mappings with a field, the user's selection. Spec is silent on their
 * order; we chose it, see rulings.
 */
export function fieldNamesOf({ declared, config }: SearchableObject): FieldNames {
  const required = declared.requiredFields ?? [];
  const mapped = new Map<string, string | undefined>();
  for (const { mapToName, fieldName } of [...required, ...(declared.optionalFields ?? [])]) {
    if (mapToName !== undefined) mapped.set(mapToName, fieldName);
  }
  for (const { mapToName, fieldName } of config?.dynamicMappingsInput ?? []) {
    if (fieldName !== undefined || !mapped.has(mapToName)) mapped.set(mapToName, fieldName);
  }
  for (const [name, field] of Object.entries(config?.selectedFieldMappings ?? {})) mapped.set(name, field);
  const always = required.flatMap(({ fieldName }) => fieldName ?? []);
  const chosen = Object.entries(config?.selectedFields ?? {}).flatMap(([name, isChosen]) => (isChosen ? [name] : []));
  const targets = new Set(mapped.values());
  return { mapped, unmapped: [...new Set([...always, ...chosen])].filter((name) => !targets.has(name)) };
}
