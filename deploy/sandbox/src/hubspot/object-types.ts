import { HubspotError } from './errors';
import { companies } from './objects/companies';
import { contacts } from './objects/contacts';
import { deals } from './objects/deals';
import type { ObjectType } from './objects/object-type';

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
