import type { Action, PairCall } from './api-call';
import { defaultAssociationType, findAssociationType, getAssociationType } from './association-types';
import { refuseByScript, isObject, type JsonObject, readId, readInputs, readJsonObject } from './request-body';
import { invalid, invalidJson, associationsInvalid, type HubspotError } from './wire-reply';
import { batchReply, type BatchError } from './batch-reply';
import { missingRecord } from './find-record';
import type { ObjectType } from './objects/object-type';
import type { PortalData } from './portal-data';

/** `PUT /crm/v4/objects/{from}/{id}/associations/{to}/{toId}` with `[{associationCategory, associationTypeId}]` -> 201. */
export const associate: Action<PairCall> = (call) => {
  const pair = { fromId: call.params.id ?? '', toId: call.params.toId ?? '', typeIds: readKinds(call.bodyText) };
  link(call, pair);
  return { status: 201, body: namesOf(call, pair) };
};

/** `PUT /crm/v4/objects/{from}/{id}/associations/default/{to}/{toId}` -> 200 with both directions. */
export const associateByDefault: Action<PairCall> = (call) => {
  const type = defaultAssociationType(call.from, call.to);
  if (!type) throw invalid(`No default association type from ${call.from.name} to ${call.to.name}`);
  const [fromId, toId] = [call.params.id ?? '', call.params.toId ?? ''];
  link(call, { fromId, toId, typeIds: [type.id] });
  const side = (from: string, to: string, associationTypeId: number) => ({
    from: { id: from },
    to: { id: to },
    associationSpec: { associationCategory: 'HUBSPOT_DEFINED', associationTypeId },
  });
  const at = call.now.toISOString();
  const results = [side(fromId, toId, type.id), side(toId, fromId, type.inverseId)];
  return { status: 200, body: { status: 'COMPLETE', results, startedAt: at, completedAt: at } };
};

/** `DELETE /crm/v4/objects/{from}/{id}/associations/{to}/{toId}` -> 204, whether there was a link or not. */
export const dissociate: Action<PairCall> = ({ data, params, refusals }) => {
  refuseByScript(refusals);
  data.unlink(params.id ?? '', params.toId ?? '');
  return { status: 204 };
};

function link(call: PairCall, pair: Pair): void {
  refuseByScript(call.refusals);
  const failure = checkPair(call, pair);
  if (failure) throw failure;
  linkPair(call, pair);
}

function readKinds(bodyText: string): readonly number[] {
  try {
    return readTypeIds(JSON.parse(bodyText));
  } catch (error) {
    if (error instanceof SyntaxError) throw invalidJson('line 1, column 1: Unexpected end-of-input');
    throw error;
  }
}

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

/** Source: docs/contributing/providers.md, A4. */
const INPUTS_MAX = 1000;

/** `GET /crm/v4/objects/{from}/{id}/associations/{to}` -> 200, all on one page. */
export const listAssociations: Action<PairCall> = (call) => {
  const id = call.params.id ?? '';
  if (!call.data.records(call.from).find(id)) throw missingRecord(id);
  return { status: 200, body: { results: targetsOf(call, id) } };
};

/** `POST /crm/v4/associations/{from}/{to}/batch/read` -> 200, or 207 that names the records without a link. */
export const batchReadAssociations: Action<PairCall> = (call) => {
  const ids = readInputs(readJsonObject(call.bodyText), INPUTS_MAX).map(readId);
  const found = ids.map((id) => ({ from: { id }, to: targetsOf(call, id) }));
  return batchReply(call, 200, {
    results: found.filter(({ to }) => to.length > 0),
    errors: found.filter(({ to }) => to.length === 0).map(({ from }) => nothingFound(call, from.id)),
  });
};

function targetsOf({ data, from, to }: PairCall, id: string) {
  if (!data.records(from).find(id)) return [];
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
