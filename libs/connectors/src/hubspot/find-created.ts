import { ProviderError, retryOf } from '@sluice/errors';
import { clockSkewMs, failedLookup, foundRecords, moreDetailed } from '../created';
import { toFailure } from '../failures';
import type { Fields, FindCreated, ObjectCall } from '../requests';
import type { FoundCreated, ProviderFailure, ProviderRecord } from '../results';
import { batchRead } from './batch-read';
import { type HubspotApi, batchLimit } from './call-hubspot';
import { uniqueProperties } from './describe';
import { type UniqueKey, accountKeyOf, matchesSent, normalizeValue, sameValue, uniqueKeyOf } from './same-value';
import { type SearchFilter, createdProperty, postSearch, searchPageMax, sentFilters } from './search';
import { canonicalObjectName } from './urls';

/** One create of unknown outcome, with its place in the request. */
interface Look {
  readonly index: number;
  readonly fields: FindCreated['records'][number]['fields'];
  readonly since: Date;
  /** Creates of others that tell more: what carries all of theirs is theirs. */
  readonly others: readonly Fields[];
  /** False: there may be more of them. */
  readonly othersAreWhole: boolean;
}

/** A look and what it showed. */
type Looked = readonly [look: Look, found: FoundCreated];

/**
 * Looks for creates of unknown outcome: by a unique property where a record sends one (consistent, 100 per call), else by
 * a search for what was sent (lags). Which properties are unique beside the email the account is asked, once a minute. Source: reference 1c.
 */
export async function findCreated(api: HubspotApi, find: FindCreated): Promise<FoundCreated[]> {
  const { objectName, records, others = [], othersAreWhole = true } = find;
  const isEmailEnough = records.every(({ fields }) => uniqueKeyOf(objectName, fields));
  const { unique, failure } = isEmailEnough ? { unique: [] } : await askUnique(api, find);
  const keyed: (Look & { key: UniqueKey })[] = [];
  const unkeyed: Look[] = [];
  for (const [index, record] of records.entries()) {
    const key = uniqueKeyOf(objectName, record.fields) ?? accountKeyOf(unique, record.fields);
    // Who has the key is told by it alone.
    if (key) keyed.push({ ...record, index, key, others: [], othersAreWhole: true });
    else unkeyed.push({ ...record, index, others: moreDetailed(record.fields, others), othersAreWhole });
  }
  const looked = new Map<number, FoundCreated>();
  for (const [look, found] of await lookByKey(api, find, keyed)) looked.set(look.index, found);
  const searched = failure
    ? unkeyed.map((look): Looked => [look, failedLookup(failure, false)])
    : await lookBySearch(api, find, unkeyed);
  for (const [look, found] of searched) looked.set(look.index, found);
  return records.map((_, index) => looked.get(index) ?? neverLooked);
}

const neverLooked: FoundCreated = { kind: 'cannot-look', consistent: false, reason: 'the record was not looked for' };

/** An account that does not tell is looked at by search; one that does not answer now may answer the next look. */
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

type KeyedLook = Look & { readonly key: UniqueKey };

/**
 * By batch read on the unique property, one property per call: sees every committed record. A record with the key that is older is
 * somebody else's: `none`, and the resend then meets HubSpot's conflict, as it should.
 */
async function lookByKey(api: HubspotApi, call: ObjectCall, looks: readonly KeyedLook[]): Promise<Looked[]> {
  const looked: Looked[] = [];
  for (const [name, same] of Map.groupBy(looks, ({ key }) => key.name)) {
    for (let at = 0; at < same.length; at += batchLimit) {
      const chunk = same.slice(at, at + batchLimit);
      const found = await lookForChunk(api, call, name, chunk);
      looked.push(...chunk.map((look, index): Looked => [look, found[index] as FoundCreated]));
    }
  }
  return looked;
}

async function lookForChunk(
  api: HubspotApi,
  call: ObjectCall,
  name: string,
  looks: readonly KeyedLook[],
): Promise<FoundCreated[]> {
  const values = looks.map(({ key }) => key.value);
  const fields = [...new Set(['createdate', ...looks.flatMap((look) => Object.keys(look.fields))])];
  try {
    const records = await batchRead(api, { ...call, fields, byProperty: { name, values } });
    return looks.map((look, index) => {
      const record = records[index];
      return record instanceof ProviderError ? failedLookup(toFailure(record), true) : toKeyed(look, record);
    });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return looks.map(() => failedLookup(toFailure(error), true));
  }
}

/** Limits of one search. Source: reference A5 (the guide's lower figures). */
const groupsMax = 5;
const filtersMax = 18;

type Search = Look & { readonly filters: readonly SearchFilter[] };

/**
 * By search for the most telling values that were sent, created since the first attempt. Several creates share a
 * call as OR groups, because an account has 5 searches a second. The index lags, so `none` proves nothing.
 */
async function lookBySearch(api: HubspotApi, call: ObjectCall, looks: readonly Look[]): Promise<Looked[]> {
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
  return searches.map((look) => [look, failedLookup(failure, false)]);
}

/**
 * Properties that tell who a record is, and that HubSpot does not fill by itself. A record that has one of them and was
 * not sent it is somebody else's, or no longer as we sent it. [own]
 */
const telling: Readonly<Record<string, readonly string[]>> = {
  contacts: ['email', 'firstname', 'lastname'],
  companies: ['name'],
  deals: ['dealname', 'amount'],
};

function tellingOf(objectName: string): readonly string[] {
  return telling[canonicalObjectName(objectName)] ?? [];
}

/**
 * By the unique key: the one record that has it. Made in time with another value in it, it may be ours that a workflow
 * changed: it is near.
 */
function toKeyed(look: Look & { readonly key: UniqueKey }, record: ProviderRecord | undefined): FoundCreated {
  const { name, value } = look.key;
  // A contact answers to its second email too, and was not made with that one.
  const isKeyed = record !== undefined && sameValue(value, record.fields[name]);
  if (!isKeyed || !isInTime(look, record)) return { kind: 'none', consistent: true };
  if (matchesSent(look.fields, record.fields)) return foundRecords([record], { consistent: true });
  return { kind: 'none', consistent: true, near: [record.id] };
}

/**
 * By search: the records that carry what was sent and nothing else that tells who they are. Where not all other creates are known each may be
 * another's: it is near.
 */
function toSearched(objectName: string, look: Look, records: readonly ProviderRecord[]): FoundCreated {
  const isAnothers = ({ fields }: ProviderRecord) => look.others.some((other) => matchesSent(other, fields));
  const candidates = records.filter(
    (record) => isInTime(look, record) && matchesSent(look.fields, record.fields) && !isAnothers(record),
  );
  const unsent = tellingOf(objectName).filter((name) => normalizeValue(look.fields[name]) === '');
  const isEqual = ({ fields }: ProviderRecord) => unsent.every((name) => normalizeValue(fields[name]) === '');
  const equal = look.othersAreWhole ? candidates.filter(isEqual) : [];
  if (equal.length > 0) return foundRecords(equal, { consistent: false });
  const near = candidates.map(({ id }) => id);
  return { kind: 'none', consistent: false, ...(near.length > 0 && { near }) };
}

function isInTime({ since }: Look, { createdAt }: ProviderRecord): boolean {
  return createdAt !== undefined && +createdAt >= +since - clockSkewMs;
}
