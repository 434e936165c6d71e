import type { ApiAction } from './api-call';
import { propertyValue } from './computed-properties';
import type { Contact } from './contact';
import { compareValues, matches } from './filters';
import { presentRead } from './present-contact';
import { contactProperties } from './property-definitions';
import { readSearchRequest, type SearchRequest } from './search-request';

/** Properties that a free-text `query` looks into. */
const queried = ['firstname', 'lastname', 'email', 'phone', 'mobilephone', 'company', 'website', 'hs_object_id'];

/** `POST /crm/v3/objects/contacts/search` -> one page, oldest contact first unless sorted. Sees the lagging index. */
export const searchContacts: ApiAction = ({ account, bodyText, now }) => {
  const request = readSearchRequest(bodyText);
  const visible = [...account.contacts.searchIndex.visible(now, account.searchLagMs)];
  const found = sorted(
    visible.filter((contact) => isWanted(contact, request)),
    request.sort,
  );
  const next = request.after + request.limit;
  return {
    status: 200,
    body: {
      total: found.length,
      results: found
        .slice(request.after, next)
        .map((contact) => presentRead(contact, account.portalId, request.properties)),
      ...(next < found.length ? { paging: { next: { after: String(next) } } } : {}),
    },
  };
};

function isWanted(contact: Contact, { groups, query }: SearchRequest): boolean {
  const inGroups = groups.length === 0 || groups.some((group) => group.every((filter) => matches(contact, filter)));
  if (!inGroups || query.trim() === '') return inGroups;
  const haystack = queried.map((name) => propertyValue(contact, name) ?? '').join('\n');
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((term) => haystack.toLowerCase().includes(term));
}

/** Contacts without the property come last in either direction; ties keep the order of creation. */
function sorted(contacts: readonly Contact[], sort: SearchRequest['sort']): Contact[] {
  const byAge = contacts.toSorted((a, b) => Number(a.id) - Number(b.id));
  if (!sort) return byAge;
  const type = contactProperties.get(sort.propertyName)?.type ?? 'string';
  const direction = sort.descending ? -1 : 1;
  return byAge.sort((a, b) => {
    const [left, right] = [propertyValue(a, sort.propertyName), propertyValue(b, sort.propertyName)];
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    return direction * compareValues(left, right, type);
  });
}
