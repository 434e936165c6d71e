import type { ObjectType, PropertyDefinition } from './object-type';
import { associationTypes } from './objects';
import type { Action, ObjectCall } from './portal-data';

/** `GET /account-info/v3/details`: the account of the token. Only `portalId` differs between accounts. */
export const accountDetails: Action = ({ portalId }) => ({
  status: 200,
  body: {
    portalId,
    accountType: 'STANDARD',
    timeZone: 'UTC',
    companyCurrency: 'EUR',
    additionalCurrencies: [],
    utcOffset: '+00:00',
    utcOffsetMilliseconds: 0,
    uiDomain: 'app.hubspot.com',
    dataHostingLocation: 'na1',
  },
});

/** `GET /crm/v3/properties/{T}` -> every property with its metadata, sorted by name. */
export const listProperties: Action<ObjectCall> = ({ type }) => ({
  status: 200,
  body: { results: describeProperties(type) },
});

/** `GET /crm-object-schemas/{version}/schemas/{T}` -> the object, its properties and the types of link that begin at it. */
export const readSchema: Action<ObjectCall> = ({ type }) => {
  const upper = (name: string): string => name.replace(/^./, (letter) => letter.toUpperCase());
  return {
    status: 200,
    body: {
      id: type.typeId,
      objectTypeId: type.typeId,
      name: type.singular,
      fullyQualifiedName: type.singular.toUpperCase(),
      labels: { singular: upper(type.singular), plural: upper(type.name) },
      requiredProperties: type.required,
      searchableProperties: type.searched,
      primaryDisplayProperty: type.shownByDefault[0],
      secondaryDisplayProperties: type.shownByDefault.slice(1, 3),
      archived: false,
      allowsSensitiveProperties: false,
      properties: describeProperties(type),
      associations: associationTypes
        .filter(({ from }) => from === type.typeId)
        .map(({ id, name, from, to }) => ({ id: String(id), fromObjectTypeId: from, toObjectTypeId: to, name })),
    },
  };
};

/** The properties of an object in their wire form, sorted by name. */
function describeProperties({ properties, singular }: ObjectType): Record<string, unknown>[] {
  return [...properties.values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((definition) => describeProperty(definition, `${singular}information`));
}

/** The wire form of a definition. Members and their meaning as in docs/contributing/providers.md, A6. */
function describeProperty(definition: PropertyDefinition, groupName: string): Record<string, unknown> {
  const { name, label, type, fieldType, externalOptions, unique, custom, readOnly } = definition;
  const own = externalOptions ? [] : definition.options;
  const options = own ?? (type === 'bool' ? ['true', 'false'] : []);
  return {
    name,
    label,
    type,
    fieldType,
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
    externalOptions: externalOptions === true,
    hasUniqueValue: unique === true,
    hidden: false,
    ...(custom ? {} : { hubspotDefined: true }),
    modificationMetadata: {
      archivable: true,
      readOnlyDefinition: custom !== true,
      readOnlyValue: readOnly === true,
    },
    formField: readOnly !== true,
    dataSensitivity: 'non_sensitive',
  };
}
