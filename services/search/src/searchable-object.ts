import { ForbiddenError, NotFoundError } from '@sluice/errors';
import { fieldMappings, nestedField, normalFieldName, valueMappings } from '@sluice/types';
import type {
  FieldMappings,
  FieldNameForm,
  FieldOf,
  InstallationContext,
  ManifestReadObject,
  ReadObjectConfig,
  ValueMappings,
} from '@sluice/types';

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

/** How the builder's names and values of one object relate to the provider's. */
export interface FieldNames {
  /** Mapped name to provider field. Undefined: declared, but the user left the mapping unset. */
  readonly mapped: FieldMappings;
  /** Provider fields that are read without a mapping, as the manifest or the config spells them. */
  readonly unmapped: readonly string[];
  /** Requested by provider field, in any of its spellings. */
  readonly values: ValueMappings;
  /** The provider's spelling of a field. */
  readonly fieldOf: FieldOf;
}

/**
 * Mapped names come from the mappings; the others from the manifest's required fields and the user's selection.
 * @param form how the provider compares its names. Mapped names are the builder's own and compare exactly.
 * @param fieldOf the provider's spelling of a field. A path that means none there is no field that is read.
 */
export function fieldNamesOf(
  { declared, config }: SearchableObject,
  form: FieldNameForm,
  fieldOf: FieldOf = nestedField,
): FieldNames {
  const required = declared.requiredFields ?? [];
  const mapped = fieldMappings(declared, config, fieldOf);
  const always = required.flatMap(({ fieldName }) => fieldName ?? []);
  const chosen = Object.entries(config?.selectedFields ?? {}).flatMap(([name, isChosen]) => (isChosen ? [name] : []));
  const keyOf = (name: string): string => normalFieldName(fieldOf(name) ?? name, form);
  const targets = new Set(
    [...mapped.values()].flatMap((field) => (field === undefined ? [] : normalFieldName(field, form))),
  );
  const named = [...new Set([...always, ...chosen])].filter((name) => fieldOf(name) !== undefined);
  const unmapped = named.filter((name) => !targets.has(keyOf(name)));
  return { mapped, unmapped, values: valueMappings(config, form, fieldOf), fieldOf };
}
