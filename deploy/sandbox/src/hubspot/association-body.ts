import { associationsInvalid, invalidJson } from './errors';
import type { InputLink } from './inline-associations';
import { isObject, type JsonObject } from './request-body';

/** `associations` of a create; null and absent mean none. */
export function readAssociations(source: JsonObject): readonly InputLink[] {
  const { associations } = source;
  if (associations === undefined || associations === null) return [];
  if (!Array.isArray(associations)) throw malformed();
  return associations.flatMap((association: unknown) => {
    if (!isObject(association)) throw malformed();
    const toId = readObjectId(association.to);
    return readTypeIds(association.types).map((typeId) => ({ toId, typeId }));
  });
}

const categories = ['HUBSPOT_DEFINED', 'USER_DEFINED', 'INTEGRATOR_DEFINED'];

/** `[{associationCategory, associationTypeId}]`. The imitated account has HubSpot's own kinds only. */
export function readTypeIds(types: unknown): readonly number[] {
  if (!Array.isArray(types) || types.length === 0) throw malformed();
  return types.map((type: unknown) => {
    if (!isObject(type) || typeof type.associationTypeId !== 'number') throw malformed();
    const { associationCategory: category, associationTypeId } = type;
    if (typeof category !== 'string' || !categories.includes(category)) throw malformed();
    if (category !== 'HUBSPOT_DEFINED') throw associationsInvalid([`${category} type ${associationTypeId}`]);
    return associationTypeId;
  });
}

/** `{id}` with an id that is a whole number, as text or not. */
export function readObjectId(value: unknown): string {
  const id = isObject(value) ? value.id : undefined;
  if ((typeof id !== 'string' && typeof id !== 'number') || !/^\d+$/.test(String(id))) throw malformed();
  return String(id);
}

function malformed(): Error {
  return invalidJson('line 1, column 1: Cannot deserialize value of type `PublicAssociationsForObject`');
}
