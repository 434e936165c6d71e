import { ProviderError, retryOf } from '@sluice/errors';
import { toFailure } from '../provider-call';
import type { Fields, FindCreated, ObjectCall } from '../requests';
import {
  cannotLookUp,
  clockSkewMs,
  failedLookup,
  type FoundCreated,
  foundRecords,
  moreDetailed,
  type ProviderFailure,
  type ProviderRecord,
} from '../results';
import { batchRead } from './batch-read';
import { batchRecordsMax, type HubspotApi } from './call-hubspot';
import { uniqueProperties } from './describe';
import { createdProperty, postSearch, type SearchFilter, searchPageMax, sentFilters } from './search';
import {
  accountKeyOf,
  canonicalObjectName,
  matchesSent,
  normalizeValue,
  sameValue,
  type UniqueKey,
  uniqueKeyOf,
} from './wire';

/** One create of unknown outcome, with its position in the request. */
interface Lookup {
  readonly index: number;
  readonly fields: FindCreated['records'][number]['fields'];
  readonly since: Date;
  /** More detailed creates of others: a record that carries all values of one belongs to it. */
  readonly others: readonly Fields[];
  /** False: there may be more of them. */
  readonly othersAreWhole: boolean;
}

/** A lookup and its result. */
type LookupResult = readonly [lookup: Lookup, found: FoundCreated];

/**
 * Looks up creates of unknown outcome: by a unique property where a record sends one (consistent, 100 per call), else by
 * a search for what was sent (lags). Which properties are unique beside the email is read from the account, once a minute. Source: reference 1c.
 */
export async function findCreated(api: HubspotApi, find: FindCreated): Promise<FoundCreated[]> {
  const { objectName, records, others = [], othersAreWhole = true } = find;
  const isEmailEnough = records.every(({ fields }) => uniqueKeyOf(objectName, fields));
  const { unique, failure } = isEmailEnough ? { unique: [] } : await askUnique(api, find);
  const keyed: (Lookup & { key: UniqueKey })[] = [];
  const unkeyed: Lookup[] = [];
  for (const [index, record] of records.entries()) {
    const key = uniqueKeyOf(objectName, record.fields) ?? accountKeyOf(unique, record.fields);
    // The key alone identifies the record.
    if (key) keyed.push({ ...record, index, key, others: [], othersAreWhole: true });
    else unkeyed.push({ ...record, index, others: moreDetailed(record.fields, others), othersAreWhole });
  }
  const results = new Map<number, FoundCreated>();
  for (const [lookup, found] of await lookUpByKey(api, find, keyed)) results.set(lookup.index, found);
  const searched = failure
    ? unkeyed.map((lookup): LookupResult => [lookup, failedLookup(failure, false)])
    : await lookUpBySearch(api, find, unkeyed);
  for (const [lookup, found] of searched) results.set(lookup.index, found);
  return records.map((_, index) => results.get(index) ?? cannotLookUp('the record was not looked up'));
}

/** Where an account does not list them, the search is used; where it does not answer now, the next lookup may read them. */
async function askUnique(
  api: HubspotApi,
  find: FindCreated,
): Promise<{ readonly unique: readonly string[]; readonly failure?: ProviderFailure }> {
  try {
    return { unique: await uniqueProperties(api, find) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return retryOf(error.class) === 'never' ? { unique: [] } : { unique: [], failure: toFailure(error) };
  }
}

type KeyedLookup = Lookup & { readonly key: UniqueKey };

/**
 * By batch read on the unique property, one property per call: sees every committed record. A record with the key that is older is another writer's:
 * `none`, and the resend then meets HubSpot's conflict, as it should.
 */
async function lookUpByKey(
  api: HubspotApi,
  call: ObjectCall,
  lookups: readonly KeyedLookup[],
): Promise<LookupResult[]> {
  const results: LookupResult[] = [];
  for (const [name, same] of Map.groupBy(lookups, ({ key }) => key.name)) {
    for (let at = 0; at < same.length; at += batchRecordsMax) {
      const chunk = same.slice(at, at + batchRecordsMax);
      const found = await lookUpChunk(api, call, name, chunk);
      results.push(...chunk.map((lookup, index): LookupResult => [lookup, found[index] as FoundCreated]));
    }
  }
  return results;
}

async function lookUpChunk(
  api: HubspotApi,
  call: ObjectCall,
  name: string,
  lookups: readonly KeyedLookup[],
): Promise<FoundCreated[]> {
  const values = lookups.map(({ key }) => key.value);
  const fields = [
    ...new Set(['createdate', ...mergedProperties, ...lookups.flatMap((lookup) => Object.keys(lookup.fields))]),
  ];
  try {
    const records = await batchRead(api, { ...call, fields, byProperty: { name, values } });
    return lookups.map((lookup, index) => {
      const record = records[index];
      return record instanceof ProviderError ? failedLookup(toFailure(record), true) : toKeyed(lookup, record);
    });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return lookups.map(() => failedLookup(toFailure(error), true));
  }
}

/** Limits of one search. Source: reference A5 (the guide's lower figures). */
const groupsMax = 5;
const filtersMax = 18;

type Search = Lookup & { readonly filters: readonly SearchFilter[] };

/**
 * By search for the most distinctive values that were sent, created since the first attempt. Several creates share a
 * call as OR groups, because an account has 5 searches a second. The index lags, so `none` proves nothing.
 */
async function lookUpBySearch(api: HubspotApi, call: ObjectCall, lookups: readonly Lookup[]): Promise<LookupResult[]> {
  const results: LookupResult[] = [];
  const searches: Search[] = [];
  for (const lookup of lookups) {
    const filters = filtersOf(call.objectName, lookup);
    if (filters) searches.push({ ...lookup, filters });
    else results.push([lookup, cannotLookUp('no field was sent that HubSpot can be searched for')]);
  }
  let failure: ProviderFailure | undefined;
  for (const together of pack(searches)) {
    // After a failure the rest would most likely fail too, at the cost of the account's quota.
    const found: LookupResult[] = failure ? fail(together, failure) : await lookUpTogether(api, call, together);
    failure ??= found
      .map(([, result]) => (result.kind === 'cannot-look-up' ? result.failure : undefined))
      .find(Boolean);
    results.push(...found);
  }
  return results;
}

function filtersOf(objectName: string, lookup: Lookup): SearchFilter[] | undefined {
  const sent = sentFilters(lookup.fields);
  if (sent.length === 0) return undefined;
  const since = String(+lookup.since - clockSkewMs);
  if (isBackdated(lookup)) return sent;
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

async function lookUpTogether(api: HubspotApi, call: ObjectCall, searches: readonly Search[]): Promise<LookupResult[]> {
  const created = createdProperty(call.objectName);
  const answer = await postSearch(
    api,
    {
      filterGroups: searches.map(({ filters }) => ({ filters })),
      properties: [
        ...new Set([
          created,
          ...searches.flatMap(({ fields, others }) => [fields, ...others].flatMap(Object.keys)),
          ...distinctiveOf(call.objectName),
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
    const singly: LookupResult[] = [];
    for (const search of searches) singly.push(...(await lookUpTogether(api, call, [search])));
    return singly;
  }
  return searches.map((lookup) => [lookup, toSearched(call.objectName, lookup, records)]);
}

function fail(searches: readonly Search[], failure: ProviderFailure): LookupResult[] {
  return searches.map((lookup) => [lookup, failedLookup(failure, false)]);
}

/**
 * Properties that identify a record, and that HubSpot does not fill by itself. A record that has one of them and was not sent it is another writer's,
 * or was changed since we sent it. [own]
 */
const distinctive: Readonly<Record<string, readonly string[]>> = {
  contacts: ['email', 'firstname', 'lastname'],
  companies: ['name'],
  deals: ['dealname', 'amount'],
};

function distinctiveOf(objectName: string): readonly string[] {
  return distinctive[canonicalObjectName(objectName)] ?? [];
}

/** Set by HubSpot on a record that others were merged into. */
const mergedProperties = ['hs_merged_object_ids', 'hs_calculated_merged_vids'] as const;

/** HubSpot takes this moment from a create of a company, a deal or a ticket; what it then states shows nothing. */
function isBackdated({ fields }: Lookup): boolean {
  return Object.keys(fields).some((name) => ['createdate', 'hs_createdate'].includes(name.toLowerCase()));
}

/**
 * By the unique key: the one record that has it. Made in time with another value in it, it may be ours that a workflow
 * changed: it is near. So is an older one where ours may have been merged into it, or may state another moment than its own.
 */
function toKeyed(lookup: Lookup & { readonly key: UniqueKey }, record: ProviderRecord | undefined): FoundCreated {
  const { name, value } = lookup.key;
  // A contact is found by its second email too, and was not made with that one.
  const isKeyed = record !== undefined && sameValue(value, record.fields[name]);
  const isShown = isKeyed && isInTime(lookup, record) && !isBackdated(lookup);
  if (isShown && matchesSent(lookup.fields, record.fields)) return foundRecords([record], { consistent: true });
  const isMerged = mergedProperties.some((each) => normalizeValue(record?.fields[each]) !== '');
  const isNear = isShown || isMerged || (isKeyed && isBackdated(lookup));
  return { kind: 'none', consistent: true, ...(record && isNear && { near: [record.id] }) };
}

/**
 * By search: the records that carry what was sent and nothing else that identifies them. Where not all other creates are known each may be
 * another's: it is near.
 */
function toSearched(objectName: string, lookup: Lookup, records: readonly ProviderRecord[]): FoundCreated {
  const isAnothers = ({ fields }: ProviderRecord) => lookup.others.some((other) => matchesSent(other, fields));
  const candidates = records.filter(
    (record) =>
      (isBackdated(lookup) || isInTime(lookup, record)) &&
      matchesSent(lookup.fields, record.fields) &&
      !isAnothers(record),
  );
  const unsent = distinctiveOf(objectName).filter((name) => normalizeValue(lookup.fields[name]) === '');
  const isEqual = ({ fields }: ProviderRecord) => unsent.every((name) => normalizeValue(fields[name]) === '');
  const equal = lookup.othersAreWhole && !isBackdated(lookup) ? candidates.filter(isEqual) : [];
  if (equal.length > 0) return foundRecords(equal, { consistent: false });
  const near = candidates.map(({ id }) => id);
  return { kind: 'none', consistent: false, ...(near.length > 0 && { near }) };
}

function isInTime({ since }: Lookup, { createdAt }: ProviderRecord): boolean {
  return createdAt !== undefined && +createdAt >= +since - clockSkewMs;
}
