import { fieldMappings, type FieldMappings, type InstallationContext } from '@sluice/types';

/** The read mappings of an object: mapped name to provider field. */
export function fieldMappingsOf(context: InstallationContext, objectName: string): FieldMappings {
  const declared = context.manifest.read?.objects?.find((object) => object.objectName === objectName);
  return fieldMappings(declared, context.config.read?.objects?.[objectName]);
}

/** Whether writes of an object go to the fields the customer mapped: declared by the manifest or by the config. */
export function inheritsMapping(context: InstallationContext, objectName: string): boolean {
  const declared = context.manifest.write?.objects?.find((object) => object.objectName === objectName);
  return declared?.inheritMapping === true || context.config.write?.objects?.[objectName]?.inheritMapping === true;
}
