import { fieldMappings, type FieldMappings } from '@sluice/types';
import type { SearchableObject } from './searchable-object';

/** How the builder's names and the provider's names of one object relate. */
export interface FieldNames {
  /** Mapped name to provider field. Undefined: declared, but the user left the mapping unset. */
  readonly mapped: FieldMappings;
  /** Provider fields that are read without a mapping, as the manifest or the config spells them. */
  readonly unmapped: readonly string[];
}

/** Mapped names come from the mappings; the others from the manifest's required fields and the user's selection. */
export function fieldNamesOf({ declared, config }: SearchableObject): FieldNames {
  const required = declared.requiredFields ?? [];
  const mapped = fieldMappings(declared, config);
  const always = required.flatMap(({ fieldName }) => fieldName ?? []);
  const chosen = Object.entries(config?.selectedFields ?? {}).flatMap(([name, isChosen]) => (isChosen ? [name] : []));
  const targets = new Set(mapped.values());
  return { mapped, unmapped: [...new Set([...always, ...chosen])].filter((name) => !targets.has(name)) };
}
