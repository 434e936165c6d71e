import { findAssociationType } from './association-types';
import { associationsInvalid, type HubspotError } from './errors';
import type { ObjectType } from './objects/object-type';
import type { PortalData } from './portal-data';

/** A link that a new record shall have. */
export interface InputLink {
  readonly toId: string;
  readonly typeId: number;
}

/**
 * Why links from records of `from` cannot be made, or undefined: a kind that does not begin there, a target that is
 * not there or is of another object than the kind leads to.
 * @param fromId how the message calls the record that shall have them
 */
export function checkLinks(
  data: PortalData,
  from: ObjectType,
  links: readonly InputLink[],
  fromId = '0',
): HubspotError | undefined {
  const wrong = links.filter(({ toId, typeId }) => {
    const target = data.find(toId);
    return !target || !findAssociationType(typeId, from, target.type);
  });
  if (wrong.length === 0) return undefined;
  const one = from.singular.toUpperCase();
  return associationsInvalid(wrong.map(({ toId, typeId }) => `${one}=${fromId}, ${toId} by type ${typeId}`));
}

/** Makes the links of a record that was just created; they do not count as writes of their own. */
export function makeLinks(data: PortalData, fromId: string, links: readonly InputLink[]): void {
  for (const { toId, typeId } of links) data.link({ fromId, toId, typeId }, false);
}
