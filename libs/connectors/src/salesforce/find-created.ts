import { ProviderError } from '@sluice/errors';
import { clockSkewMs, failedLookup, foundRecords, moreDetailed } from '../created';
import { toFailure } from '../failures';
import type { FindCreated, ProviderCall } from '../requests';
import type { FoundCreated, ProviderFailure, ProviderRecord } from '../results';
import type { SalesforceApi } from './call-salesforce';
import { describe } from './describe';
import { sameValue } from './same-value';
import { type SentValue, sentValues } from './sent-values';
import { type Condition, type Selection, momentLiteral, pathBytes, pathBytesMax, query } from './soql';
import { toProviderRecord } from './wire';

/** One create of unknown outcome, with its place in the request. */
interface Look {
  readonly index: number;
  readonly since: Date;
  /** The most telling first. */
  readonly sent: readonly SentValue[];
  /** The first of `sent`: what it is looked up by. */
  readonly key: SentValue;
  /** What creates of others have sent that tell more: a record that carries all of one of them is that one's. */
  readonly others: readonly (readonly SentValue[])[];
  /** False: there may be more of them. */
  readonly othersAreWhole: boolean;
}

/** What a look saw. */
interface Rows {
  readonly records: readonly ProviderRecord[];
  /** False: there may be more that would have to be known. */
  readonly isWhole: boolean;
}

/** The earliest moment that a record of this create can state: CreatedDate has no milliseconds. */
function earliestMs({ since }: Look): number {
  return Math.floor((+since - clockSkewMs) / 1_000) * 1_000;
}

/**
 * Looks for creates of unknown outcome with SOQL, which sees what is committed at once. Creates that were told apart by
 * the same field share a query, so that a batch costs a few calls and not one per record. Source: reference 1c.
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
    return find.records.map(() => cannotLook(`${objectName} has no CreatedDate`));
  const looks = find.records.flatMap((record, index): Look[] => {
    const sent = sentValues(description, record.fields);
    const [key] = sent;
    const others = moreDetailed(record.fields, find.others ?? []).map((other) => sentValues(description, other));
    return key?.literal === undefined ? [] : [{ index, since: record.since, sent, key, others, othersAreWhole }];
  });
  const seen = await lookForAll(api, { ...find, objectName }, looks);
  const found = new Map(looks.map((look) => [look.index, decide(look, seen.get(look), looks)]));
  for (const [index, each] of await lookAside(api, { ...find, objectName }, { looks, found })) found.set(index, each);
  return find.records.map(
    (_, index) => found.get(index) ?? cannotLook('no field was sent that Salesforce can be asked for'),
  );
}

function decide(look: Look, rows: Seen | undefined, looks: readonly Look[]): FoundCreated {
  if (rows === undefined) return cannotLook('the record was not looked up');
  return 'failure' in rows ? failedLookup(rows.failure, true) : decideLook(look, rows, looks);
}

interface Decided {
  readonly looks: readonly Look[];
  readonly found: ReadonlyMap<number, FoundCreated>;
}

/**
 * A second look, by another value, for what was not seen: a trigger that rewrites the value that was looked up hides our
 * own record. What is seen so is near, never found. A record that sent one value only can hide.
 */
async function lookAside(
  api: SalesforceApi,
  find: FindCreated,
  { looks, found }: Decided,
): Promise<Map<number, FoundCreated>> {
  const aside = looks.flatMap((look): Look[] => {
    const each = found.get(look.index);
    const isProof = each?.kind === 'none' && each.consistent && each.near === undefined;
    const key = look.sent[1];
    return isProof && !look.key.field.isUnique && key?.literal !== undefined ? [{ ...look, key }] : [];
  });
  const seen = aside.length === 0 ? new Map<Look, Seen>() : await lookForAll(api, find, aside);
  return new Map(aside.map((look) => [look.index, decide(look, seen.get(look), looks)]));
}

type Seen = Rows | { readonly failure: ProviderFailure };

async function lookForAll(api: SalesforceApi, find: FindCreated, looks: readonly Look[]): Promise<Map<Look, Seen>> {
  const seen = new Map<Look, Seen>();
  let failure: ProviderFailure | undefined;
  for (const pack of packLooks(find.objectName, looks)) {
    // After a failure the rest would most likely fail too, at the cost of the account's calls.
    const rows: Seen = failure ? { failure } : await lookTogether(api, find, pack);
    if ('failure' in rows) failure = rows.failure;
    for (const look of pack) seen.set(look, rows);
    if ('failure' in rows || rows.isWhole) continue;
    // The many look-alikes of one create may have pushed another's record off the page.
    for (const look of pack) seen.set(look, await lookNarrowly(api, find, look));
  }
  return seen;
}

function cannotLook(reason: string): FoundCreated {
  return { kind: 'cannot-look', consistent: true, reason };
}

/**
 * What the rows say of one create. `none` is proof, and so a licence to send again, only when no row comes near: a
 * record of ours in which a trigger changed a value must not be made a second time. Where the key is unique the account
 * itself refuses a second one; a row with that key is near whatever else is in it. So it is of `found`, whose matches may be another's.
 * While not all other creates are known, what is equal may be another's too: it is near.
 */
function decideLook(look: Look, rows: Rows, looks: readonly Look[]): FoundCreated {
  const isMoreDetailed = (record: ProviderRecord) => look.others.some((sent) => differing({ sent }, record) === 0);
  const candidates = rows.records.filter((record) => isCandidate(look, record) && !isMoreDetailed(record));
  const equal = candidates.filter((record) => differing(look, record) === 0);
  const { isUnique } = look.key.field;
  const matches = isUnique || look.othersAreWhole ? equal : [];
  const isAnothers = (record: ProviderRecord) =>
    looks.some((other) => other.index !== look.index && isCandidate(other, record) && differing(other, record) === 0);
  const isNear = (record: ProviderRecord) =>
    isUnique || equal.includes(record) || (differing(look, record) * 2 <= look.sent.length && !isAnothers(record));
  const near = candidates.filter((record) => !matches.includes(record) && isNear(record)).map(({ id }) => id);
  const seen = { consistent: isUnique || rows.isWhole, ...(near.length > 0 && { near }) };
  return matches.length === 0 ? { kind: 'none', ...seen } : foundRecords(matches, seen);
}

function isCandidate(look: Look, { createdAt, fields }: ProviderRecord): boolean {
  if (createdAt === undefined || +createdAt < earliestMs(look)) return false;
  const { key } = look;
  return sameValue(key.field, key.value, fields[key.field.name]);
}

function differing({ sent }: Pick<Look, 'sent'>, { fields }: ProviderRecord): number {
  return sent.filter(({ field, value }) => !sameValue(field, value, fields[field.name])).length;
}

/** Rows of one look: far below the 2,000 of a page, because each carries every sent field. [own] */
const rowsMax = 500;
/** Values by which one create is told apart when its key alone finds too many. */
const narrowMax = 5;

type Call = ProviderCall & { readonly objectName: string };
type Looked = Rows | { readonly failure: ProviderFailure };

/** Looks that one query can answer: the same key field, and short enough for a URL. */
function packLooks(objectName: string, looks: readonly Look[]): Look[][] {
  const packs: Look[][] = [];
  for (const look of looks) {
    const pack = packs.find((other) => {
      const isSame = other[0]?.key.field.name === look.key.field.name;
      return isSame && pathBytes(select(objectName, [...other, look], keysOf([...other, look]))) <= pathBytesMax;
    });
    if (pack) pack.push(look);
    else packs.push([look]);
  }
  return packs;
}

/** What was created since the earliest first attempt with one of the keys. */
async function lookTogether(api: SalesforceApi, call: Call, looks: readonly Look[]): Promise<Looked> {
  return await read(api, call, select(call.objectName, looks, keysOf(looks)));
}

/** What carries the most telling values of one create; what carries fewer of them is left out, so it is never whole. */
async function lookNarrowly(api: SalesforceApi, call: Call, look: Look): Promise<Looked> {
  const where = look.sent.slice(0, narrowMax).flatMap(({ field, literal }): Condition[] => {
    return literal === undefined ? [] : [{ field: field.name, operator: '=', literals: [literal] }];
  });
  const looked = await read(api, call, select(call.objectName, [look], where));
  return 'failure' in looked ? looked : { ...looked, isWhole: false };
}

async function read(api: SalesforceApi, call: Call, selection: ReturnType<typeof select>): Promise<Looked> {
  const queried = await query(api, selection, call);
  if (!queried.ok) return { failure: queried.failure };
  const { records, isWhole } = queried.page;
  const found = records.flatMap((record) => toProviderRecord(record, selection.fields) ?? []);
  // A row without an id is a record that cannot be told from ours.
  return { records: found, isWhole: isWhole && found.length === records.length && records.length < rowsMax };
}

function select(objectName: string, looks: readonly Look[], where: readonly Condition[]) {
  const since = momentLiteral(new Date(Math.min(...looks.map(earliestMs))));
  const created: Condition = { field: 'CreatedDate', operator: '>=', literals: [since] };
  const values = looks.flatMap(({ sent, others }) => [sent, ...others].flat());
  const fields = ['CreatedDate', ...new Set(values.map(({ field }) => field.name))];
  return { objectName, fields, where: [...where, created], limit: rowsMax } satisfies Selection;
}

function keysOf(looks: readonly Look[]): Condition[] {
  const literals = [...new Set(looks.flatMap(({ key }) => key.literal ?? []))];
  const field = looks[0]?.key.field.name;
  return field === undefined ? [] : [{ field, operator: literals.length > 1 ? 'IN' : '=', literals }];
}
