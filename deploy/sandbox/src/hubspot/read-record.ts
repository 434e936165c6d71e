import type { Action, ObjectCall } from './api-call';
import { getAssociationType } from './association-types';
import { getRecord, missingRecord } from './find-record';
import { getObjectType } from './property-metadata';
import { presentRead } from './present-record';

/** `GET /crm/v3/objects/{T}/{id}?properties=a,b&associations=companies&idProperty=&archived=` -> 200. */
export const readRecord: Action<ObjectCall> = (call) => {
  const { records, query } = call;
  const id = call.params.id ?? '';
  const isArchived = query.get('archived') === 'true';
  const record = isArchived ? records.findArchived(id) : getRecord(records, id, query.get('idProperty') ?? undefined);
  if (!record) throw missingRecord(id);
  const shown = presentRead(call, record, listParameter(query, 'properties'));
  const associations = associationsOf(call, record.id, listParameter(query, 'associations'));
  return { status: 200, body: { ...shown, ...(associations ? { associations } : {}) } };
};

/** One entry per record and kind of link; absent when there is none to show. */
function associationsOf({ data }: ObjectCall, id: string, asked: readonly string[]) {
  const lists = asked.map(getObjectType).map((to) => {
    const results = data
      .linked(id, to)
      .flatMap(({ toId, typeIds }) => typeIds.map((typeId) => ({ id: toId, type: getAssociationType(typeId)?.name })));
    return [to.name, { results }] as const;
  });
  const filled = lists.filter(([, { results }]) => results.length > 0);
  return filled.length > 0 ? Object.fromEntries(filled) : undefined;
}

/** A list in the address, as one text with commas or by repeating the parameter. */
export function listParameter(query: URLSearchParams, name: string): string[] {
  return query
    .getAll(name)
    .flatMap((names) => names.split(','))
    .filter(Boolean);
}
