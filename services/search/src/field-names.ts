import { fieldMappings, normalFieldName, valueMappings } from '@sluice/types';
import type { FieldMappings, FieldNameForm, ValueMappings } from '@sluice/types';
import type { SearchableObject } from './searchable-object';

/** How the builder's names and values of one object relate to the provider's. */
export interface FieldNames {
  /** Mapped name to provider field. Undefined: declared, but the user left the mapping unset. */
  readonly mapped: FieldMappings;
  /** Provider fields that are read without a mapping, as the manifest or the config spells them. */
  readonly unmapped: readonly string[];
  /** Requested by provider field, in any of its spellings. */
  readonly values: ValueMappings;
}

/**
 * Mapped names come from the mappings; the others from the manifest's required fields and the user's selection.
 * @param form how the provider compares its names. Mapped names are the builder's own and compare exactly.
 */
export function fieldNamesOf({ declared, config }: SearchableObject, form: FieldNameForm): FieldNames {
  const required = declared.requiredFields ?? [];
  const mapped = fieldMappings(declared, config);
  const always = required.flatMap(({ fieldName }) => fieldName ?? []);
  const chosen = Object.entries(config?.selectedFields ?? {}).flatMap(([name, isChosen]) => (isChosen ? [name] : []));
  const keyOf = (name: string): string => normalFieldName(name, form);
  const targets = new Set([...mapped.values()].flatMap((field) => (field === undefined ? [] : keyOf(field))));
  const unmapped = [...new Set([...always, ...chosen])].filter((name) => !targets.has(keyOf(name)));
  return { mapped, unmapped, values: valueMappings(config, form) };
}
