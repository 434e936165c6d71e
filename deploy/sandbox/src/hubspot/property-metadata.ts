import type { ObjectType } from './objects/object-type';
import type { PropertyDefinition } from './objects/property-definition';
import { HubspotError } from './wire-reply';
import { companies } from './objects/companies';
import { contacts } from './objects/contacts';
import { deals } from './objects/deals';

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

export const objectTypes: readonly ObjectType[] = [contacts, companies, deals];

/** An object type under any of its names: `contacts`, `contact`, `0-1`, in any case. */
export function findObjectType(name: string): ObjectType | undefined {
  const wanted = name.toLowerCase();
  return objectTypes.find((type) => [type.name, type.singular, type.typeId].includes(wanted));
}

/** As `findObjectType`; unknown is a 400, which is recorded without a category. */
export function getObjectType(name: string): ObjectType {
  const found = findObjectType(name);
  if (found) return found;
  throw new HubspotError(400, { message: `Unable to infer object type from: ${name}` });
}
