import type { Issue } from '@sluice/errors';
import {
  pathOf,
  type ConfigContent,
  type ConnectChoices,
  type Integration,
  type IntegrationField,
  type ManifestReadObject,
  type ReadObjectConfig,
} from '@sluice/types';

/** What a manifest leaves to a customer: optional fields, and mapped names without a field. */
export interface Offered {
  readonly object: ManifestReadObject;
  /** With a `fieldName`. */
  readonly optional: readonly (IntegrationField & { readonly fieldName: string })[];
  /** With a `mapToName` and no `fieldName`. */
  readonly mappings: readonly (IntegrationField & { readonly mapToName: string; readonly isRequired: boolean })[];
  /** `optionalFieldsAuto: all`: every other field of the account is optional too, and read unless the customer takes it away. */
  readonly isAll: boolean;
}

/** The objects of an integration of which something can be chosen. */
export function offeredOf({ latestRevision }: Integration): Offered[] {
  const objects = latestRevision.content.read?.objects ?? [];
  return objects.map(offered).filter(({ optional, mappings, isAll }) => isAll || optional.length + mappings.length > 0);
}

function offered(object: ManifestReadObject): Offered {
  const { requiredFields = [], optionalFields = [] } = object;
  const mappings = [...requiredFields, ...optionalFields].flatMap((field, index) => {
    const { mapToName, fieldName } = field;
    const isRequired = index < requiredFields.length;
    return mapToName === undefined || fieldName !== undefined ? [] : [{ ...field, mapToName, isRequired }];
  });
  const optional = optionalFields.flatMap((field) =>
    field.fieldName === undefined ? [] : [{ ...field, fieldName: field.fieldName }],
  );
  return { object, optional, mappings, isAll: object.optionalFieldsAuto === 'all' };
}

export function hasChoices(integration: Integration): boolean {
  return offeredOf(integration).length > 0;
}

/** Whether a required mapping has no field. @param content of the config there is; undefined: there is none */
export function isChoiceMissing(integration: Integration, content: ConfigContent | undefined): boolean {
  return missingMappings(integration, content).length > 0;
}

function missingMappings(integration: Integration, content: ConfigContent | undefined) {
  return offeredOf(integration).flatMap(({ object: { objectName }, mappings }) => {
    const chosen = content?.read?.objects?.[objectName]?.selectedFieldMappings ?? {};
    const isMissing = (name: string) => !Object.hasOwn(chosen, name) || chosen[name] === '';
    return mappings
      .filter(({ isRequired, mapToName }) => isRequired && isMissing(mapToName))
      .map(({ mapToName }) => ({ objectName, mapToName }));
  });
}

const refuse = (name: string, detail: string, value?: string): Issue => ({ in: 'body', name, detail, value });
const objectsPath = 'content.read.objects';

/** What of choices the manifest does not offer, and which required ones are missing then. @param content with them */
export function choiceIssues(integration: Integration, choices: ConnectChoices, content: ConfigContent): Issue[] {
  const all = offeredOf(integration);
  const unoffered = Object.entries(choices.content?.read?.objects ?? {}).flatMap(([name, chosen]) => {
    const path = pathOf(objectsPath, name);
    const offer = all.find(({ object }) => object.objectName === name);
    if (offer === undefined) return [refuse(path, 'is no object of which something can be chosen', name)];
    const fields = new Set(offer.optional.map(({ fieldName }) => fieldName));
    const mapped = new Set(offer.mappings.map(({ mapToName }) => mapToName));
    const notIn = (known: ReadonlySet<string>, member: object | undefined, at: string, detail: string) =>
      Object.keys(member ?? {})
        .filter((key) => !known.has(key))
        .map((key) => refuse(pathOf(`${path}.${at}`, key), detail, key));
    return [
      // Of all fields, the account says which there are.
      ...notIn(
        fields,
        offer.isAll ? undefined : chosen.selectedFields,
        'selectedFields',
        'is no optional field of this object',
      ),
      ...notIn(mapped, chosen.selectedFieldMappings, 'selectedFieldMappings', 'is no mapping that is left to choose'),
    ];
  });
  const missing = missingMappings(integration, content).map(({ objectName, mapToName }) =>
    refuse(pathOf(`${pathOf(objectsPath, objectName)}.selectedFieldMappings`, mapToName), 'is required'),
  );
  return [...unoffered, ...missing];
}

/** A config with what was chosen, and everything else as it is. */
export function withChoices(content: ConfigContent, { content: chosen }: ConnectChoices): ConfigContent {
  const objects: Record<string, ReadObjectConfig> = { ...content.read?.objects };
  for (const [objectName, choice] of Object.entries(chosen?.read?.objects ?? {})) {
    const { [objectName]: before } = objects;
    objects[objectName] = {
      ...before,
      objectName,
      selectedFields: { ...before?.selectedFields, ...choice.selectedFields },
      selectedFieldMappings: { ...before?.selectedFieldMappings, ...choice.selectedFieldMappings },
    };
  }
  return Object.keys(objects).length === 0 ? content : { ...content, read: { ...content.read, objects } };
}
