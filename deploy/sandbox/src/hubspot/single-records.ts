import { linkFailure, makeLinks, readLinks, type InputLink } from './associations';
import { refuseByScript } from './batch';
import { invalid, missingRecord, type HubspotError } from './errors';
import type { CrmRecord, ObjectType } from './object-type';
import { getAssociationType, getObjectType } from './objects';
import type { Action, ObjectCall, PortalData } from './portal-data';
import { presentCreated, presentRead, presentUpdated, type WireRecord } from './present-record';
import { checkValues, readJsonObject, readProperties, requireWritable, type Values } from './properties';

/** A record to create. */
export interface NewRecord {
  readonly values: Values;
  readonly links: readonly InputLink[];
}

/** `POST /crm/v3/objects/{T}` -> 201 with `Location` and the wide record. */
export const createRecord: Action<ObjectCall> = (call) => {
  const body = readJsonObject(call.bodyText);
  const input = { values: readProperties(body), links: readLinks(body) };
  requireWritable(call.type, [input]);
  refuseByScript(call);
  const failure = checkNew(call, input);
  if (failure) throw failure;
  const record = create(call, input);
  const location = `${call.origin}/crm/v3/objects/${call.type.name}/${record.id}`;
  return { status: 201, headers: { location }, body: record };
};

export function checkNew({ data, type }: ObjectCall, { values, links }: NewRecord): HubspotError | undefined {
  return checkValues(data, type, values) ?? linkFailure(data, type, links);
}

/** Stores a checked record with its links. */
export function create(call: ObjectCall, { values, links }: NewRecord): WireRecord {
  const record = call.data.create(call.type.name, values, call.now);
  makeLinks(call.data, record.id, links);
  return presentCreated(call, record);
}

/** `PATCH /crm/v3/objects/{T}/{id}[?idProperty=]` -> 200. Associations in the body are ignored. */
export const updateRecord: Action<ObjectCall> = (call) => {
  const { type, data } = call;
  const values = readProperties(readJsonObject(call.bodyText));
  const record = getRecord(call, call.params.id ?? '', call.query.get('idProperty') ?? undefined);
  requireWritable(type, [{ values }]);
  refuseByScript(call);
  const failure = checkValues(data, type, values, record.id);
  if (failure) throw failure;
  return { status: 200, body: update(call, record, values) };
};

/** Stores checked values. */
export function update(call: ObjectCall, record: CrmRecord, values: Values): WireRecord {
  return presentUpdated(call, call.data.update(record, values, call.now), values);
}

const recordIdNames = new Set(['hs_object_id', 'id']);

/** Refuses an `idProperty` that does not identify one record. */
export function requireUniqueProperty({ unique, typeId }: ObjectType, idProperty: string | undefined): void {
  if (idProperty === undefined || recordIdNames.has(idProperty) || unique.includes(idProperty)) return;
  throw invalid(`Unable to perform update/upsert by non-unique ${typeId} property ${idProperty}`);
}

interface Records {
  readonly data: PortalData;
  readonly type: ObjectType;
}

/** The record that `id` names, by record id or by a unique property. */
export function findRecord({ data, type }: Records, id: string, idProperty?: string): CrmRecord | undefined {
  if (idProperty === undefined || recordIdNames.has(idProperty)) return data.findOf(type, id);
  return data.findByUnique(type.name, idProperty, id);
}

/** As `findRecord`, for the single calls. @throws HubspotError 404 */
function getRecord(records: Records, id: string, idProperty?: string): CrmRecord {
  requireUniqueProperty(records.type, idProperty);
  const found = findRecord(records, id, idProperty);
  if (found) return found;
  throw missingRecord(id, idProperty);
}

/** `GET /crm/v3/objects/{T}/{id}?properties=a,b&associations=companies&idProperty=&archived=` -> 200. */
export const readRecord: Action<ObjectCall> = (call) => {
  const { query } = call;
  const id = call.params.id ?? '';
  const isArchived = query.get('archived') === 'true';
  const record = isArchived ? findArchived(call, id) : getRecord(call, id, query.get('idProperty') ?? undefined);
  if (!record) throw missingRecord(id);
  const shown = presentRead(call, record, listParameter(query, 'properties'));
  const associations = associationsOf(call, record.id, listParameter(query, 'associations'));
  return { status: 200, body: { ...shown, ...(associations ? { associations } : {}) } };
};

function findArchived({ data, type }: Records, id: string): CrmRecord | undefined {
  const record = data.find(id);
  return record?.isDeleted && record.type === type.name && record.mergedInto === undefined ? record : undefined;
}

/** One entry per record and type of link; absent when there is none to show. */
function associationsOf({ data }: ObjectCall, id: string, requested: readonly string[]) {
  const lists = requested.map(getObjectType).map((to) => {
    const results = data
      .linked(id, to)
      .flatMap(({ toId, typeIds }) => typeIds.map((typeId) => ({ id: toId, type: getAssociationType(typeId)?.name })));
    return [to.name, { results }] as const;
  });
  const filled = lists.filter(([, { results }]) => results.length > 0);
  return filled.length > 0 ? Object.fromEntries(filled) : undefined;
}

/** A list in the address, as one text with commas or by repeating the parameter. */
function listParameter(query: URLSearchParams, name: string): string[] {
  return query
    .getAll(name)
    .flatMap((names) => names.split(','))
    .filter(Boolean);
}

/** Source: HubSpot's reference of `GET /crm/v3/objects/{T}`. */
const page = { default: 10, max: 100 };

/** `GET /crm/v3/objects/{T}?limit=&after=&properties=` -> one page in the order of ids; not subject to the index lag. */
export const listRecords: Action<ObjectCall> = (call) => {
  const limit = whole(call.query.get('limit'), page.default);
  if (limit < 1 || limit > page.max) throw invalid(`limit must be between 1 and ${page.max}, but was ${limit}`);
  const after = whole(call.query.get('after'), 0);
  const later = call.data.all(call.type.name).filter(({ id }) => Number(id) > after);
  const shown = later.toSorted(byId).slice(0, limit);
  const requested = listParameter(call.query, 'properties');
  const last = shown.at(-1)?.id;
  const more = later.length > shown.length && last !== undefined;
  return {
    status: 200,
    body: {
      results: shown.map((record) => presentRead(call, record, requested)),
      ...(more ? { paging: { next: { after: last } } } : {}),
    },
  };
};

/** Oldest first: ids grow. */
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number => Number(a.id) - Number(b.id);

function whole(value: string | null, otherwise: number): number {
  if (value === null || value === '') return otherwise;
  if (!/^\d+$/.test(value)) throw invalid(`${value} was not a valid long.`);
  return Number(value);
}

/** `DELETE /crm/v3/objects/{T}/{id}` -> 204, also for an id that never existed. */
export const archiveRecord: Action<ObjectCall> = (call) => {
  refuseByScript(call);
  archive(call, [call.params.id ?? '']);
  return { status: 204 };
};

export function archive({ data, type, now }: ObjectCall, ids: readonly string[]): void {
  for (const id of ids) {
    const record = data.findOf(type, id);
    if (record) data.remove(record, now);
  }
}

/**
 * `POST /crm/v3/objects/{T}/merge` with `{primaryObjectId, objectIdToMerge}` -> 200, the primary record. Calls under the id that
 * was merged away reach the primary from then on.
 */
export const mergeRecords: Action<ObjectCall> = (call) => {
  const { primaryObjectId, objectIdToMerge } = readJsonObject(call.bodyText);
  const [primary, other] = [primaryObjectId, objectIdToMerge].map((id) => getRecord(call, String(id)));
  if (!primary || !other || primary.id === other.id) throw invalid('Cannot merge a record with itself');
  return { status: 200, body: presentCreated(call, call.data.merge(primary, other, call.now)) };
};
