import type { Action, ObjectCall } from './api-call';
import { associationTypes } from './association-types';
import { propertyMetadata } from './property-metadata';

/** `GET /crm-object-schemas/{version}/schemas/{T}` -> the object, its properties and the kinds of link that begin at it. */
export const readSchema: Action<ObjectCall> = ({ type, portalId }) => {
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
      portalId,
      properties: propertyMetadata(type),
      associations: associationTypes
        .filter(({ from }) => from === type.typeId)
        .map(({ id, name, from, to }) => ({ id: String(id), fromObjectTypeId: from, toObjectTypeId: to, name })),
    },
  };
};
