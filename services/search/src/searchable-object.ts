import { ForbiddenError, NotFoundError } from '@sluice/errors';
import type { InstallationContext, ManifestReadObject, ReadObjectConfig } from '@sluice/types';

/** An object that may be searched: what the manifest declares, and what the installation configures, if anything. */
export interface SearchableObject {
  readonly declared: ManifestReadObject;
  readonly config: ReadObjectConfig | undefined;
}

/**
 * Source: specification, Manifest, rules 1 to 3: declared under `read`, and not disabled unless it is enabled always.
 * @throws NotFoundError `search.object-not-in-manifest`
 * @throws ForbiddenError `search.object-disabled`
 */
export function getSearchableObject(installation: InstallationContext, objectName: string): SearchableObject {
  const objects = installation.manifest.read?.objects ?? [];
  const declared = objects.find((object) => object.objectName === objectName || object.mapToName === objectName);
  if (declared === undefined) throw notDeclared(objectName, objects);
  const configs = installation.config.read?.objects ?? {};
  const config = Object.hasOwn(configs, declared.objectName) ? configs[declared.objectName] : undefined;
  if (config?.disabled === true && declared.enabled !== 'always') {
    throw new ForbiddenError({
      code: 'search.object-disabled',
      detail: `objectName: the config of this installation disables ${declared.objectName}.`,
      remedy: `Set config.content.read.objects.${declared.objectName}.disabled to false.`,
    });
  }
  return { declared, config };
}

function notDeclared(objectName: string, objects: readonly ManifestReadObject[]): NotFoundError {
  const names = objects.map((object) => object.mapToName ?? object.objectName).join(', ') || 'none';
  return new NotFoundError({
    code: 'search.object-not-in-manifest',
    detail: `objectName: the manifest does not declare "${objectName.slice(0, 100)}" under read.objects; declared: ${names}.`,
  });
}
