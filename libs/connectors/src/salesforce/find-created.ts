import { ProviderError } from '@sluice/errors';
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
import type { SalesforceApi } from './call-salesforce';
import { describe } from './describe';
import { type Condition, momentLiteral, pathBytes, pathBytesMax, query, type Selection } from './soql';
import { sameValue, type SentValue, sentValues } from './values';
import { type Description, toProviderRecord } from './wire';

/** One create of unknown outcome, with its position in the request. */
interface Lookup {
  readonly index: number;
  readonly since: Date;
  /** The most distinctive first. */
  readonly sent: readonly SentValue[];
  /** The first of `sent`, by which the record is looked up. */
  readonly key: SentValue;
  /** What more detailed creates of others have sent: a record that carries all values of one belongs to it. */
  readonly others: readonly (readonly SentValue[])[];
  /** False: there may be more of them. */
  readonly othersAreWhole: boolean;
  /** The moment that bounds the lookup; undefined: records of any age are looked at. */
  readonly bound: Bound | undefined;
  /** The record says itself when it was created, so that its moment does not show that this create made it. */
  readonly isBackdated: boolean;
}

/** Moments that Salesforce sets by itself. The second is never before the first, and moves on with every change. */
const bounds = ['CreatedDate', 'SystemModstamp'] as const;
type Bound = (typeof bounds)[number];

/** What a lookup returned. */
interface Rows {
  readonly records: readonly ProviderRecord[];
  /** False: there may be more that would have to be known. */
  readonly isWhole: boolean;
}

/** The earliest moment that a record of this create can state: CreatedDate has no milliseconds. */
function earliestMs({ since }: Lookup, skewMs = clockSkewMs): number {
  return Math.floor((+since - skewMs) / 1_000) * 1_000;
}

/**
 * Clocks that are never set are off by minutes. An equal record that is older by as much may be ours. Where a second record is refused it does not
 * matter. [own]
 */
const wrongClockMs = 300_000;

function seenFromMs(lookup: Lookup): number {
  return earliestMs(lookup, lookup.key.field.isUnique ? clockSkewMs : wrongClockMs);
}

/**
 * The first field that can be queried and that no write of this user can set. With the permission "Set Audit Fields upon Record Creation" a write, a
 * flow or a trigger can set CreatedDate. No permission allows setting SystemModstamp. Source: Salesforce Help 000176484 and "System Fields" of the
 * object reference.
 */
function boundOf({ fields }: Description, find: FindCreated): Bound | undefined {
  const isSent = find.records.some((record) => sends(record.fields, 'createddate'));
  return bounds.find((name) => {
    const field = fields.get(name.toLowerCase());
    return field?.isFilterable && field.isReadOnly && !(isSent && name === 'CreatedDate');
  });
}

function sends(fields: Fields, name: string): boolean {
  return Object.keys(fields).some((sent) => sent.toLowerCase() === name);
}

/**
 * Looks up creates of unknown outcome with SOQL, which sees what is committed at once. Creates that are identified by
 * the same field share a query, so that a batch costs a few calls and not one per record. What was deleted or merged since is seen too: it was
 * created. Source: reference 1c, B4.
 */
export async function findCreated(api: SalesforceApi, find: FindCreated): Promise<FoundCreated[]> {
  let description;
  try {
    description = await describe(api, find);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const failure = toFailure(error);
    return find.records.map(() => failedLookup(failure, true));
  }
  const { fields, name: objectName } = description;
  const { othersAreWhole = true } = find;
  if (!fields.get('createddate')?.isFilterable)
    return find.records.map(() => cannotLookUp(`${objectName} has no CreatedDate`, true));
  const bound = boundOf(description, find);
  const lookups = find.records.flatMap((record, index): Lookup[] => {
    const isBackdated = sends(record.fields, 'createddate');
    const sent = sentValues(description, record.fields);
    const [key] = sent;
    const others = moreDetailed(record.fields, find.others ?? []).map((other) => sentValues(description, other));
    return key?.literal === undefined
      ? []
      : [{ index, since: record.since, sent, key, others, othersAreWhole, bound, isBackdated }];
  });
  const results = await lookUpAll(api, { ...find, objectName }, lookups);
  const found = new Map(lookups.map((lookup) => [lookup.index, decide(lookup, results.get(lookup), lookups)]));
  for (const [index, each] of await lookUpByAnother(api, { ...find, objectName }, { lookups, found }))
    found.set(index, each);
  return find.records.map(
    (_, index) => found.get(index) ?? cannotLookUp('no field was sent that Salesforce can be queried for', true),
  );
}

function decide(lookup: Lookup, rows: RowsOrFailure | undefined, lookups: readonly Lookup[]): FoundCreated {
  if (rows === undefined) return cannotLookUp('the record was not looked up', true);
  return 'failure' in rows ? failedLookup(rows.failure, true) : decideLookup(lookup, rows, lookups);
}

interface Decided {
  readonly lookups: readonly Lookup[];
  readonly found: ReadonlyMap<number, FoundCreated>;
}

/**
 * A second lookup, by another value, for what was not found: a trigger that rewrites the value that was looked up, unique or not, hides our
 * own record. What it returns is near, never found. A record that sent one value only can hide.
 */
async function lookUpByAnother(
  api: SalesforceApi,
  find: FindCreated,
  { lookups, found }: Decided,
): Promise<Map<number, FoundCreated>> {
  const aside = lookups.flatMap((lookup): Lookup[] => {
    const each = found.get(lookup.index);
    const isProof = each?.kind === 'none' && each.consistent && each.near === undefined;
    const key = lookup.sent[1];
    return isProof && key?.literal !== undefined ? [{ ...lookup, key }] : [];
  });
  const results = aside.length === 0 ? new Map<Lookup, RowsOrFailure>() : await lookUpAll(api, find, aside);
  return new Map(aside.map((lookup) => [lookup.index, decide(lookup, results.get(lookup), lookups)]));
}

type RowsOrFailure = Rows | { readonly failure: ProviderFailure };

async function lookUpAll(
  api: SalesforceApi,
  find: FindCreated,
  lookups: readonly Lookup[],
): Promise<Map<Lookup, RowsOrFailure>> {
  const results = new Map<Lookup, RowsOrFailure>();
  let failure: ProviderFailure | undefined;
  const { objectName } = find;
  for (const pack of packLookups(objectName, lookups)) {
    // After a failure the rest would most likely fail too, at the cost of the account's calls.
    const rows: RowsOrFailure = failure ? { failure } : await read(api, find, select(objectName, pack, keysOf(pack)));
    if ('failure' in rows) failure = rows.failure;
    for (const lookup of pack) results.set(lookup, rows);
    if ('failure' in rows || rows.isWhole) continue;
    // The many similar records of one create may have pushed another's record off the page.
    for (const lookup of pack) results.set(lookup, await lookUpNarrowly(api, find, lookup));
  }
  return results;
}

/**
 * What the rows say of one create. `none` is proof, and allows a resend, only when no row is near. A trigger may have changed a value of our record,
 * which must not be made twice. Where the key is unique the account itself refuses a second one; a row with that key is near whatever else is in it.
 * So it is of `found`, whose matches may be another's. While not all other creates are known, what is equal may be another's too: it is near. So is
 * what is equal and not shown to be made since the first send, where that can only be seen from a moment that the account lets others set.
 */
function decideLookup(lookup: Lookup, rows: Rows, lookups: readonly Lookup[]): FoundCreated {
  const isMoreDetailed = (record: ProviderRecord) => lookup.others.some((sent) => differing({ sent }, record) === 0);
  const candidates = rows.records.filter((record) => isCandidate(lookup, record) && !isMoreDetailed(record));
  const equal = candidates.filter((record) => differing(lookup, record) === 0);
  const { isUnique } = lookup.key.field;
  const isShown = (record: ProviderRecord) => !lookup.isBackdated && isMadeSince(lookup, record);
  const matches = isUnique || lookup.othersAreWhole ? equal.filter(isShown) : [];
  const isAnothers = (record: ProviderRecord) =>
    lookups.some(
      (other) => other.index !== lookup.index && isCandidate(other, record) && differing(other, record) === 0,
    );
  const isOfTime = (record: ProviderRecord) => lookup.bound !== 'CreatedDate' || isMadeSince(lookup, record);
  const isNear = (record: ProviderRecord) =>
    isUnique ||
    equal.includes(record) ||
    (isOfTime(record) && differing(lookup, record) * 2 <= lookup.sent.length && !isAnothers(record));

  const near = candidates.filter((record) => !matches.includes(record) && isNear(record)).map(({ id }) => id);
  const visibility = { consistent: isUnique || rows.isWhole, ...(near.length > 0 && { near }) };
  return matches.length === 0 ? { kind: 'none', ...visibility } : foundRecords(matches, visibility);
}

function isCandidate(lookup: Lookup, record: ProviderRecord): boolean {
  // The other bound is asked of Salesforce alone: it only says that a record cannot be older.
  if (lookup.bound === 'CreatedDate' && !isMadeSince(lookup, record, seenFromMs(lookup))) return false;
  const { key } = lookup;
  return sameValue(key.field, key.value, record.fields[key.field.name]);
}

function isMadeSince(lookup: Lookup, { createdAt }: ProviderRecord, fromMs = earliestMs(lookup)): boolean {
  return createdAt !== undefined && +createdAt >= fromMs;
}

function differing({ sent }: Pick<Lookup, 'sent'>, { fields }: ProviderRecord): number {
  return sent.filter(({ field, value }) => !sameValue(field, value, fields[field.name])).length;
}

/** Rows of one lookup: far below the 2,000 of a page, because each carries every sent field. [own] */
const rowsMax = 500;
/** Values by which one create is identified when its key alone finds too many. */
const narrowMax = 5;

/** Lookups that one query can answer: the same key field, and short enough for a URL. */
function packLookups(objectName: string, lookups: readonly Lookup[]): Lookup[][] {
  const packs: Lookup[][] = [];
  for (const lookup of lookups) {
    const pack = packs.find((other) => {
      const isSame = other[0]?.key.field.name === lookup.key.field.name;
      return isSame && pathBytes(select(objectName, [...other, lookup], keysOf([...other, lookup]))) <= pathBytesMax;
    });
    if (pack) pack.push(lookup);
    else packs.push([lookup]);
  }
  return packs;
}

/** Records with the most distinctive values of one create; those with fewer are left out, so the result is never whole. */
async function lookUpNarrowly(api: SalesforceApi, call: ObjectCall, lookup: Lookup): Promise<RowsOrFailure> {
  const where = lookup.sent.slice(0, narrowMax).flatMap(({ field, literal }): Condition[] => {
    return literal === undefined ? [] : [{ field: field.name, operator: '=', literals: [literal] }];
  });
  const results = await read(api, call, select(call.objectName, [lookup], where));
  return 'failure' in results ? results : { ...results, isWhole: false };
}

async function read(
  api: SalesforceApi,
  call: ObjectCall,
  selection: ReturnType<typeof select>,
): Promise<RowsOrFailure> {
  const queried = await query(api, selection, call, 'with-deleted');
  if (!queried.ok) return { failure: queried.failure };
  const { records, isWhole } = queried.page;
  const found = records.flatMap((record) => toProviderRecord(record, selection.fields) ?? []);
  // A row without an id is a record that may be ours.
  return { records: found, isWhole: isWhole && found.length === records.length && records.length < rowsMax };
}

/** What was created since the earliest first attempt and meets the conditions. */
function select(objectName: string, lookups: readonly Lookup[], where: readonly Condition[]) {
  const since = momentLiteral(new Date(Math.min(...lookups.map(seenFromMs))));
  const bound = lookups[0]?.bound;
  const created: Condition[] = bound === undefined ? [] : [{ field: bound, operator: '>=', literals: [since] }];
  const values = lookups.flatMap(({ sent, others }) => [sent, ...others].flat());
  const fields = ['CreatedDate', ...new Set(values.map(({ field }) => field.name))];
  return { objectName, fields, where: [...where, ...created], limit: rowsMax } satisfies Selection;
}

function keysOf(lookups: readonly Lookup[]): Condition[] {
  const literals = [...new Set(lookups.flatMap(({ key }) => key.literal ?? []))];
  const field = lookups[0]?.key.field.name;
  return field === undefined ? [] : [{ field, operator: literals.length > 1 ? 'IN' : '=', literals }];
}
