import type { ObjectCall } from '../requests';
import type { FoundCreated, ProviderFailure } from '../results';
import type { HubspotApi } from './call-hubspot';
import { clockSkewMs, tellingOf, toFailedLook, toSearched } from './created-matches';
import type { Look, Looked } from './find-created';
import { createdProperty, sentFilters } from './search-filters';
import { postSearch, searchPageMax, type SearchFilter } from './search';

/** Limits of one search. Source: reference A5 (the guide's lower figures). */
const groupsMax = 5;
const filtersMax = 18;

type Search = Look & { readonly filters: readonly SearchFilter[] };

/**
 * By search for the most telling values that were sent, created since the first attempt. Several creates share a
 * call as OR groups, because an account has 5 searches a second. The index lags, so `none` proves nothing.
 */
export async function lookBySearch(api: HubspotApi, call: ObjectCall, looks: readonly Look[]): Promise<Looked[]> {
  const looked: Looked[] = [];
  const searches: Search[] = [];
  for (const look of looks) {
    const filters = filtersOf(call.objectName, look);
    if (filters) searches.push({ ...look, filters });
    else looked.push([look, cannotLook]);
  }
  let failure: ProviderFailure | undefined;
  for (const together of pack(searches)) {
    // After a failure the rest would most likely fail too, at the cost of the account's quota.
    const found: Looked[] = failure ? fail(together, failure) : await lookTogether(api, call, together);
    failure ??= found.map(([, result]) => (result.kind === 'cannot-look' ? result.failure : undefined)).find(Boolean);
    looked.push(...found);
  }
  return looked;
}

const cannotLook: FoundCreated = {
  kind: 'cannot-look',
  consistent: false,
  reason: 'no field was sent that HubSpot can be searched for',
};

function filtersOf(objectName: string, look: Look): SearchFilter[] | undefined {
  const sent = sentFilters(look.fields);
  if (sent.length === 0) return undefined;
  const since = String(+look.since - clockSkewMs);
  return [...sent, { propertyName: createdProperty(objectName), operator: 'GTE', value: since }];
}

function pack(searches: readonly Search[]): Search[][] {
  const packs: Search[][] = [];
  for (const search of searches) {
    const last = packs.at(-1);
    const filters = [...(last ?? []), search].reduce((sum, { filters: { length } }) => sum + length, 0);
    if (last && last.length < groupsMax && filters <= filtersMax) last.push(search);
    else packs.push([search]);
  }
  return packs;
}

async function lookTogether(api: HubspotApi, call: ObjectCall, searches: readonly Search[]): Promise<Looked[]> {
  const created = createdProperty(call.objectName);
  const answer = await postSearch(
    api,
    {
      filterGroups: searches.map(({ filters }) => ({ filters })),
      properties: [
        ...new Set([
          created,
          ...searches.flatMap(({ fields, others }) => [fields, ...others].flatMap(Object.keys)),
          ...tellingOf(call.objectName),
        ]),
      ],
      limit: searchPageMax,
      sorts: [{ propertyName: created, direction: 'ASCENDING' }],
    },
    call,
  );
  if (!answer.ok) return fail(searches, answer.failure);
  const { records, total } = answer;
  // One create's many hits may have pushed another's off the page.
  if (searches.length > 1 && total > records.length) {
    return lookSingly(api, call, searches);
  }
  return searches.map((look) => [look, toSearched(call.objectName, look, records)]);
}

async function lookSingly(api: HubspotApi, call: ObjectCall, searches: readonly Search[]): Promise<Looked[]> {
  const looked: Looked[] = [];
  for (const search of searches) looked.push(...(await lookTogether(api, call, [search])));
  return looked;
}

function fail(searches: readonly Search[], failure: ProviderFailure): Looked[] {
  return searches.map((look) => [look, toFailedLook(failure, false)]);
}
