import type { ObjectType } from './objects/object-type';
import type { PropertyDefinition } from './objects/property-definition';

/** The properties of an object in their wire form, sorted by name. */
export function propertyMetadata({ properties, singular }: ObjectType): Record<string, unknown>[] {
  return [...properties.values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((definition) => metadata(definition, `${singular}information`));
}

/** The wire form of a definition. Members and their meaning as in docs/contributing/providers.md, A6. */
function metadata(definition: PropertyDefinition, groupName: string): Record<string, unknown> {
  const isBool = definition.type === 'bool';
  const own = definition.externalOptions ? [] : definition.options;
  const options = own ?? (isBool ? ['true', 'false'] : []);
  return {
    name: definition.name,
    label: definition.label,
    type: definition.type,
    fieldType: definition.fieldType,
    description: '',
    groupName,
    options: options.map((value, displayOrder) => ({
      label: value,
      value,
      description: '',
      displayOrder,
      hidden: false,
    })),
    displayOrder: -1,
    calculated: false,
    externalOptions: definition.externalOptions === true,
    hasUniqueValue: definition.unique === true,
    hidden: false,
    ...(definition.custom ? {} : { hubspotDefined: true }),
    modificationMetadata: {
      archivable: true,
      readOnlyDefinition: definition.custom !== true,
      readOnlyValue: definition.readOnly === true,
    },
    formField: definition.readOnly !== true,
    dataSensitivity: 'non_sensitive',
  };
}
