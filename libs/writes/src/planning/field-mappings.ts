import type { InstallationContext } from '@sluice/types';

/**
 * Names a builder uses for a customer's fields. `undefined` as a target: the mapping is declared, but the user left it unset.
 * Later sources win: manifest, dynamic mappings, the user's selection (see rulings).
 */
export type FieldMappings = ReadonlyMap<string, string | undefined>;

/** The read mappings of an object: mapped name to provider field. */
export function fieldMappingsOf(context: InstallationContext, objectName: string): FieldMappings {
  const mappings = new Map<string, string | undefined>();
  const declared = context.manifest.read?.objects?.find((object) => object.objectName === objectName);
  for (const field of [...(declared?.requiredFields ?? []), ...(declared?.optionalFields ?? [])]) {
    if (field.mapToName !== undefined) mappings.set(field.mapToName, 'fieldName' in field ? field.fieldName : undefined);
  }
  const config = context.config.read?.objects?.[objectName];
  for (const entry of config?.dynamicMappingsInput ?? []) {
    if (entry.fieldName !== undefined || !mappings.has(entry.mapToName)) mappings.set(entry.mapToName, entry.fieldName);
  }
  for (const [name, field] of Object.entries(config?.selectedFieldMappings ?? {})) mappings.set(name, field);
  return mappings;
}

/** Whether writes of an object go to the fields the customer mapped: declared by the manifest or by the config. */
export function inheritsMapping(context: InstallationContext, objectName: string): boolean {
  const declared = context.manifest.write?.objects?.find((object) => object.objectName === objectName);
  return declared?.inheritMapping === true || context.config.write?.objects?.[objectName]?.inheritMapping === true;
}
