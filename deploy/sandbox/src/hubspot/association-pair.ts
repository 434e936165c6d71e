import type { PairCall } from './api-call';
import { findAssociationType } from './association-types';
import { associationsInvalid, type HubspotError } from './errors';

/** Two records and the kinds of link wanted between them. */
export interface Pair {
  readonly fromId: string;
  readonly toId: string;
  readonly typeIds: readonly number[];
}

/** Why a pair cannot be linked, or undefined: an end that is not there, a kind that does not lead from one to the other. */
export function checkPair({ data, from, to }: PairCall, { fromId, toId, typeIds }: Pair): HubspotError | undefined {
  const isThere = data.records(from).find(fromId) && data.records(to).find(toId);
  if (isThere && typeIds.every((id) => findAssociationType(id, from, to))) return undefined;
  return associationsInvalid([`${from.singular.toUpperCase()}=${fromId}, ${to.singular.toUpperCase()}=${toId}`]);
}

/** Links a pair; it counts as one write, however many kinds the link has. */
export function linkPair({ data }: PairCall, { fromId, toId, typeIds }: Pair): void {
  for (const [index, typeId] of typeIds.entries()) data.link({ fromId, toId, typeId }, index === 0);
}

/** A linked pair in a reply: record ids are numbers here, unlike everywhere else. */
export function namesOf({ from, to }: PairCall, { fromId, toId }: Pair): Record<string, unknown> {
  return {
    fromObjectTypeId: from.typeId,
    fromObjectId: Number(fromId),
    toObjectTypeId: to.typeId,
    toObjectId: Number(toId),
    labels: [],
  };
}
