import type { Action, ObjectCall } from './api-call';
import type { CrmRecord } from './crm-record';
import { compareValues, matches, matchesLinks, type Filter } from './filters';
import type { ObjectType } from './objects/object-type';
import { presentRead, propertyValue } from './present-record';
import { readSearchRequest, type SearchRequest } from './search-request';

/** `POST /crm/v3/objects/{T}/search` -> one page, oldest record first unless sorted. Sees the lagging index. */
export const searchRecords: Action<ObjectCall> = (call) => {
  const { type } = call;
  const request = readSearchRequest(type, call.bodyText);
  const visible = [...call.records.searchIndex.visible(call.now, call.searchLagMs)];
  const found = sorted(
    type,
    visible.filter((record) => isWanted(call, record, request)),
    request.sort,
  );
  const next = request.after + request.limit;
  return {
    status: 200,
    body: {
      total: found.length,
      results: found.slice(request.after, next).map((record) => presentRead(call, record, request.properties)),
      ...(next < found.length ? { paging: { next: { after: String(next) } } } : {}),
    },
  };
};

function isWanted({ type, data }: ObjectCall, record: CrmRecord, { groups, query }: SearchRequest): boolean {
  const isMet = (filter: Filter): boolean => {
    if (!filter.linkedTo) return matches(type, record, filter);
    const linkedIds = data.linked(record.id, filter.linkedTo).map(({ toId }) => toId);
    return matchesLinks(linkedIds, filter);
  };
  const inGroups = groups.length === 0 || groups.some((group) => group.every(isMet));
  if (!inGroups || query.trim() === '') return inGroups;
  const haystack = type.searched.map((name) => propertyValue(type, record, name) ?? '').join('\n');
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((term) => haystack.toLowerCase().includes(term));
}

/** Records without the property come last in either direction; ties keep the order of creation. */
function sorted(objectType: ObjectType, records: readonly CrmRecord[], sort: SearchRequest['sort']): CrmRecord[] {
  const byAge = records.toSorted((a, b) => Number(a.id) - Number(b.id));
  if (!sort) return byAge;
  const type = objectType.properties.get(sort.propertyName)?.type ?? 'string';
  const direction = sort.descending ? -1 : 1;
  const valueOf = (record: CrmRecord): string | undefined => propertyValue(objectType, record, sort.propertyName);
  return byAge.sort((a, b) => {
    const [left, right] = [valueOf(a), valueOf(b)];
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    return direction * compareValues(left, right, type);
  });
}
