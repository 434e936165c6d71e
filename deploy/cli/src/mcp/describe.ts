import { fieldDefaultValue } from '@sluice/types';
import type {
  FieldMetadata,
  FieldSettings,
  Installation,
  Integration,
  ManifestReadObject,
  ManifestWriteObject,
  ObjectMetadata,
} from '@sluice/types';

/** What a group has installed. */
export interface Installed {
  readonly installation: Installation;
  readonly integration: Integration;
}

/** Allowed values of a field that a list of fields shows. Our choice: a country list has 250, and a field has room for a few. */
const valuesMax = 30;

/** An integration with its objects, and what may be done with each. */
export function describeInstalled({ installation, integration }: Installed): object {
  const { name, id, provider, latestRevision } = integration;
  const { read, write, displayName } = latestRevision.content;
  const names = new Set([...(read?.objects ?? []), ...(write?.objects ?? [])].map(({ objectName }) => objectName));
  const { healthStatus, connection } = installation;
  return {
    integration: name,
    id,
    displayName,
    provider,
    health: healthStatus,
    connection: connection.status,
    objects: [...names].map((objectName) => describeUse({ installation, integration }, objectName)),
  };
}

/** @param name the provider's name of the object, or the builder's */
export function describeUse({ installation, integration }: Installed, name: string) {
  const { read, write } = findObject(integration, name);
  const objectName = read?.objectName ?? write?.objectName ?? name;
  const config = installation.config.content.read?.objects?.[objectName];
  return {
    object: read?.mapToName ?? objectName,
    ...(read?.mapToName !== undefined && { providerObject: objectName }),
    search: read !== undefined && (read.enabled === 'always' || config?.disabled !== true),
    write: write !== undefined,
  };
}

interface Declared {
  readonly read: ManifestReadObject | undefined;
  readonly write: ManifestWriteObject | undefined;
}

function findObject({ latestRevision }: Integration, name: string): Declared {
  const { read, write } = latestRevision.content;
  const found = read?.objects?.find(({ objectName, mapToName }) => objectName === name || mapToName === name);
  const objectName = found?.objectName ?? name;
  return { read: found, write: write?.objects?.find((each) => each.objectName === objectName) };
}

interface Asked {
  /** The provider's name of the object, or the builder's. */
  readonly object?: string | undefined;
  /** Part of a field's name, in any case. */
  readonly nameContains?: string | undefined;
  readonly writableOnly?: boolean | undefined;
}

/** Fields of an object, those that a create needs first, then those with a name of the builder's. */
export function describeFields(installed: Installed, metadata: ObjectMetadata, asked: Asked) {
  const { integration, installation } = installed;
  const { read, write } = findObject(integration, asked.object ?? metadata.name);
  const content = installation.config.content;
  const objectName = read?.objectName ?? metadata.name;
  const mappings = { ...declaredMappings(read), ...content.read?.objects?.[objectName]?.selectedFieldMappings };
  const writeConfig = content.write?.objects?.[objectName];
  const isMapped = write?.inheritMapping === true || writeConfig?.inheritMapping === true;
  const mappedName = new Map(Object.entries(mappings).map(([mapped, field]) => [field, mapped]));
  const fields = Object.values(metadata.fields).map((field) => {
    const mapped = mappedName.get(field.fieldName);
    const settings = writeConfig?.selectedFieldSettings ?? {};
    return describeField(field, mapped, settings[field.fieldName] ?? settings[mapped ?? '']);
  });
  const needed = asked.nameContains?.toLowerCase();
  const matching = fields.filter(
    (field) =>
      (asked.writableOnly !== true || field.write) &&
      (needed === undefined ||
        [field.name, field.mappedName, field.label].some((name) => name?.toLowerCase().includes(needed))),
  );
  const chosen = new Set(Object.keys(mappings));
  const unchosen = (read?.optionalFields ?? [])
    .flatMap(({ mapToName }) => mapToName ?? [])
    .filter((name) => !chosen.has(name));
  return {
    fields: matching.toSorted((one, other) => rankOf(one) - rankOf(other)),
    namesOfWrites: isMapped ? 'name or mappedName' : 'name',
    ...(unchosen.length > 0 && { mappedNamesWithoutField: unchosen }),
  };
}

function declaredMappings(read: ManifestReadObject | undefined): Record<string, string> {
  const all = [...(read?.requiredFields ?? []), ...(read?.optionalFields ?? [])];
  return Object.fromEntries(
    all.flatMap(({ mapToName, fieldName }) =>
      mapToName === undefined || fieldName === undefined ? [] : [[mapToName, fieldName] as const],
    ),
  );
}

type DescribedField = ReturnType<typeof describeField>;

function rankOf({ required, mappedName }: DescribedField): number {
  if (required) return 0;
  return mappedName === undefined ? 2 : 1;
}

function describeField(field: FieldMetadata, mappedName: string | undefined, settings: FieldSettings = {}) {
  const { fieldName, displayName, valueType, readOnly, isRequired, isCustom, referenceTo, values = [] } = field;
  const { default: byDefault, writeOnCreate, writeOnUpdate } = settings;
  return {
    name: fieldName,
    mappedName,
    label: displayName,
    type: valueType,
    write: readOnly !== true,
    required: isRequired === true ? true : undefined,
    custom: isCustom === true ? true : undefined,
    referenceTo,
    values: values.length > 0 ? values.slice(0, valuesMax).map(({ value }) => value) : undefined,
    moreValues: values.length > valuesMax ? values.length - valuesMax : undefined,
    default: byDefault && fieldDefaultValue(byDefault),
    writeOnCreate,
    writeOnUpdate,
  };
}
