import { fieldMappings, type FieldMappings, type InstallationContext } from '@sluice/types';
import { ownEntry } from './own-entry';

/**
 * The mappings that writes of an object follow: mapped name to provider field, undefined where the user left it unset.
 * None when the object does not inherit them; the manifest or the config says so (see rulings).
 * Source: specification, Write records, rule 6.
 */
export function inheritedMappings(context: InstallationContext, objectName: string): FieldMappings | undefined {
  const { manifest, config } = context;
  const declared = manifest.write?.objects?.find((object) => object.objectName === objectName);
  const writing = ownEntry(config.write?.objects, objectName);
  if (declared?.inheritMapping !== true && writing?.inheritMapping !== true) return undefined;
  const reading = manifest.read?.objects?.find((object) => object.objectName === objectName);
  return fieldMappings(reading, ownEntry(config.read?.objects, objectName));
}
