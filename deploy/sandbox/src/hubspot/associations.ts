import { isObject, parseBody, type JsonObject } from '../crm/json-body';
import { batchReply, readId, readInputs, refuseByScript, runEach } from './batch';
import { associationsInvalid, invalid, invalidJson, missingRecord, type BatchError, type HubspotError } from './errors';
import type { ObjectType } from './object-type';
import {
  defaultAssociationType,
  findAssociationType,
  getAssociationType,
  getObjectType,
  type AssociationType,
} from './objects';
import type { Action, PairCall, PortalData } from './portal-data';

/** Largest number of inputs. Source: docs/contributing/providers.md, A4. */
const inputsMax = { create: 2000, read: 1000, archive: 100 };

/** Two records and the types of link wanted between them. */
interface Pair {
  readonly fromId: string;
  readonly toId: string;
  readonly typeIds: readonly number[];
}

/** `PUT /crm/v4/objects/{from}/{id}/associations/{to}/{toId}` with `[{associationCategory, associationTypeId}]` -> 201. */
export const associate: Action<PairCall> = (call) => {
  const body = parseBody(call.bodyText);
  if ('fault' in body) throw invalidJson('line 1, column 1: Unexpected end-of-input');
  const pair = linkOne(call, readTypeIds(body.json));
  return { status: 201, body: namesOf(call, pair) };
};

/** `PUT /crm/v4/objects/{from}/{id}/associations/default/{to}/{toId}` -> 200 with both directions. */
export const associateByDefault: Action<PairCall> = (call) => {
  const type = requireDefaultType(call);
  const { fromId, toId } = linkOne(call, [type.id]);
  const results = [side(fromId, toId, type.id), side(toId, fromId, type.inverseId)];
  const at = call.now.toISOString();
  return { status: 200, body: { status: 'COMPLETE', results, startedAt: at, completedAt: at } };
};

function requireDefaultType({ from, to }: PairCall): AssociationType {
  const type = defaultAssociationType(from, to);
  if (type) return type;
  throw invalid(`No default association type from ${from.name} to ${to.name}`);
}

const side = (from: string, to: string, associationTypeId: number) => ({
  from: { id: from },
  to: { id: to },
  associationSpec: { associationCategory: 'HUBSPOT_DEFINED', associationTypeId },
});

/** Links the two records of the address. */
function linkOne(call: PairCall, typeIds: readonly number[]): Pair {
  const pair = { fromId: call.params.id ?? '', toId: call.params.toId ?? '', typeIds };
  refuseByScript(call);
  const failure = pairFailure(call, pair);
  if (failure) throw failure;
  linkPair(call, pair);
  return pair;
}

/** `DELETE /crm/v4/objects/{from}/{id}/associations/{to}/{toId}` -> 204, whether there was a link or not. */
export const dissociate: Action<PairCall> = (call) => {
  refuseByScript(call);
  call.data.unlink(call.params.id ?? '', call.params.toId ?? '');
  return { status: 204 };
};

/** `POST /crm/v4/associations/{from}/{to}/batch/create` -> 201, or 207 with the pairs that cannot be linked. */
export const batchAssociate: Action<PairCall> = (call) => {
  const inputs = readInputs(call.bodyText, inputsMax.create);
  const pairs = inputs.map(({ from, to, types }): Pair => ({
    fromId: readObjectId(from),
    toId: readObjectId(to),
    typeIds: readTypeIds(types),
  }));
  const apply = (pair: Pair) => {
    linkPair(call, pair);
    return [namesOf(call, pair)];
  };
  const linked = runEach(call, pairs, { check: (pair) => pairFailure(call, pair), apply, naming: () => ({}) });
  return batchReply(call, 201, linked);
};

/** Why a pair cannot be linked, or undefined: an end that does not exist, a type that does not lead from one to the other. */
function pairFailure({ data, from, to }: PairCall, { fromId, toId, typeIds }: Pair): HubspotError | undefined {
  const exist = data.findOf(from, fromId) && data.findOf(to, toId);
  if (exist && typeIds.every((id) => findAssociationType(id, from, to))) return undefined;
  return associationsInvalid([`${from.singular.toUpperCase()}=${fromId}, ${to.singular.toUpperCase()}=${toId}`]);
}

/** Links a pair; it counts as one write, however many types the link has. */
function linkPair({ data }: PairCall, { fromId, toId, typeIds }: Pair): void {
  for (const [index, typeId] of typeIds.entries()) data.link({ fromId, toId, typeId }, index === 0);
}

/** A linked pair in a reply. */
function namesOf({ from, to }: PairCall, { fromId, toId }: Pair): Record<string, unknown> {
  return {
    fromObjectTypeId: from.typeId,
    fromObjectId: fromId,
    toObjectTypeId: to.typeId,
    toObjectId: toId,
    labels: [],
  };
}

/** `GET /crm/v4/objects/{from}/{id}/associations/{to}` -> 200, all on one page. */
export const listAssociations: Action<PairCall> = (call) => {
  const id = call.params.id ?? '';
  if (!call.data.findOf(call.from, id)) throw missingRecord(id);
  return { status: 200, body: { results: targetsOf(call, id) } };
};

/** `POST /crm/v4/associations/{from}/{to}/batch/read` -> 200, or 207 that names the records without a link. */
export const batchReadAssociations: Action<PairCall> = (call) => {
  const ids = readInputs(call.bodyText, inputsMax.read).map(readId);
  const found = ids.map((id) => ({ from: { id }, to: targetsOf(call, id) }));
  return batchReply(call, 200, {
    results: found.filter(({ to }) => to.length > 0),
    errors: found.filter(({ to }) => to.length === 0).map(({ from }) => nothingFound(call, from.id)),
  });
};

function targetsOf({ data, from, to }: PairCall, id: string) {
  if (!data.findOf(from, id)) return [];
  return data.linked(id, to).map(({ toId, typeIds }) => ({
    toObjectId: Number(toId),
    associationTypes: typeIds.map((typeId) => ({
      category: 'HUBSPOT_DEFINED',
      typeId,
      label: getAssociationType(typeId)?.label ?? null,
    })),
  }));
}

function nothingFound({ from, to }: PairCall, id: string): BatchError {
  return {
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND',
    message: `No ${to.singular} is associated with ${from.singular} ${id}.`,
    context: { fromObjectId: [id], fromObjectType: [from.singular], toObjectType: [to.singular] },
  };
}

/** A link that a new record shall have. */
export interface InputLink {
  readonly toId: string;
  readonly typeId: number;
}

/** `associations` of a create; null and absent mean none. */
export function readLinks({ associations }: JsonObject): readonly InputLink[] {
  if (associations === undefined || associations === null) return [];
  if (!Array.isArray(associations)) throw malformed();
  return associations.flatMap((association: unknown) => {
    if (!isObject(association)) throw malformed();
    const toId = readObjectId(association.to);
    return readTypeIds(association.types).map((typeId) => ({ toId, typeId }));
  });
}

const categories = ['HUBSPOT_DEFINED', 'USER_DEFINED', 'INTEGRATOR_DEFINED'];

/** `[{associationCategory, associationTypeId}]`. The imitated account has HubSpot's own types only. */
function readTypeIds(types: unknown): readonly number[] {
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
function readObjectId(value: unknown): string {
  const id = isObject(value) ? value.id : undefined;
  if ((typeof id !== 'string' && typeof id !== 'number') || !/^\d+$/.test(String(id))) throw malformed();
  return String(id);
}

const malformed = (): HubspotError =>
  invalidJson('line 1, column 1: Cannot deserialize value of type `PublicAssociationsForObject`');

/**
 * Why a new record of `from` cannot have these links, or undefined. A type may start at another object, or a target may be absent or of an object
 * that the type does not lead to.
 */
export function linkFailure(data: PortalData, from: ObjectType, links: readonly InputLink[]): HubspotError | undefined {
  const wrong = links.filter(({ toId, typeId }) => {
    const target = data.findLive(toId);
    return !target || !findAssociationType(typeId, from, getObjectType(target.type));
  });
  if (wrong.length === 0) return undefined;
  const name = from.singular.toUpperCase();
  return associationsInvalid(wrong.map(({ toId, typeId }) => `${name}=0, ${toId} by type ${typeId}`));
}

/** Makes the links of a record that was just created; they do not count as writes of their own. */
export function makeLinks(data: PortalData, fromId: string, links: readonly InputLink[]): void {
  for (const { toId, typeId } of links) data.link({ fromId, toId, typeId }, false);
}
