import type { ApiAction } from './api-call';
import { contactProperties, type PropertyDefinition } from './property-definitions';

/** `GET /crm/v3/properties/contacts` -> every property with its metadata, sorted by name. */
export const listProperties: ApiAction = () => ({
  status: 200,
  body: { results: [...contactProperties.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(metadata) },
});

/** The wire form of a definition. Members and their meaning as in providers.md A6. */
function metadata(definition: PropertyDefinition): Record<string, unknown> {
  const isBool = definition.type === 'bool';
  const options = definition.options ?? (isBool ? ['true', 'false'] : []);
  return {
    name: definition.name,
    label: definition.label,
    type: definition.type,
    fieldType: definition.fieldType,
    description: '',
    groupName: 'contactinformation',
    options: options.map((value, displayOrder) => ({
      label: value,
      value,
      description: '',
      displayOrder,
      hidden: false,
    })),
    displayOrder: -1,
    calculated: false,
    externalOptions: definition.type === 'enumeration' && definition.options === undefined,
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
