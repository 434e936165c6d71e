import { DependencyError, ProviderError, retryOf } from '@sluice/errors';
import { toFailure, toProviderError } from '../provider-call';
import type { BatchCreate, Fields } from '../requests';
import type { FoundCreated, ProviderFailure, RecordResult } from '../results';
import { readByProperty } from './batch-read';
import type { SalesforceApi } from './call-salesforce';
import { describe } from './describe';
import { findCreated } from './find-created';
import { sendCollection } from './match-outcomes';
import { toLiteral } from './soql';
import { isEmpty, plain, toSent } from './values';
import { type FieldDescription, paths } from './wire';

/**
 * Sends creates that may have been carried out before again, as an upsert by a unique external id. If the earlier send is still applied, it hits the
 * same record. Only where no record has the values, because an upsert overwrites a record and a create never does (ADR 19). The collection takes one
 * record too, so that no value is put into a path. An external id that the account does not keep unique refuses no second record. So the record of
 * the earlier send is looked up by it once more, and nothing is sent if it is found. A record that another create is known to have made is not it:
 * two equal creates make two records there, as they do without an external id.
 * @returns undefined where neither is to be done: they are then created as ever, and a unique value that is taken is a conflict
 */
export async function resendCreates(api: SalesforceApi, write: BatchCreate): Promise<RecordResult[] | undefined> {
  const { records } = write;
  try {
    const { fields } = await describe(api, write);
    const externalIds = [...fields.values()].filter(({ isExternalId }) => isExternalId);
    const key = externalIds.find((field) => field.isUnique && hasEach(field, records));
    if (key) return (await isTaken(api, write, key)) ? undefined : await upsert(api, write, key);
    const shared = externalIds.filter(({ isUnique }) => !isUnique);
    const isSent = records.some(
      ({ firstSentAt, ...record }) => firstSentAt && shared.some((field) => hasEach(field, [record])),
    );
    return isSent ? await holdBack(api, write) : undefined;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (retryOf(error.class) === 'never') return undefined;
    return records.map(() => ({ ok: false, error: toFailure(error) }));
  }
}

/** Every record sends a value of its own in the field, and one that can be queried. */
function hasEach(field: FieldDescription, records: BatchCreate['records']): boolean {
  const values = records.map(({ fields }) => valueOf(field, fields));
  const isAskable = field.isFilterable && values.every((value) => !isEmpty(value) && toLiteral(field.type, value).ok);
  return isAskable && new Set(values.map(plain)).size === records.length;
}

function valueOf({ name }: FieldDescription, fields: Fields): unknown {
  return Object.entries(fields).find(([sent]) => sent.toLowerCase() === name.toLowerCase())?.[1];
}

async function isTaken(api: SalesforceApi, write: BatchCreate, key: FieldDescription): Promise<boolean> {
  const { records, headers: _, ...call } = write;
  const byProperty = { name: key.name, values: records.map(({ fields }) => String(valueOf(key, fields))) };
  const found = await readByProperty(api, { ...call, fields: [], byProperty });
  return found.some((record) => record !== undefined);
}

/** Undefined: no candidate was found. Else the record with a candidate fails for it, and the others wait for the lookup that follows. */
async function holdBack(api: SalesforceApi, write: BatchCreate): Promise<RecordResult[] | undefined> {
  const { records, headers: _, ...call } = write;
  // A record found for a create that was never sent is another create's, and nothing refuses the create itself.
  const candidates = records.flatMap(({ fields, firstSentAt: since }, at) => (since ? [{ fields, since, at }] : []));
  const found = await findCreated(api, { ...call, records: candidates });
  const failure = found.find((each) => each.kind === 'cannot-look-up' && each.failure !== undefined);
  if (failure?.kind === 'cannot-look-up' && failure.failure) throw toProviderError(failure.failure, 'salesforce');
  const claimed = await findClaimed(write, [...new Set(found.flatMap(candidatesIn))]);
  const held = new Map(found.map((each, of) => [candidates[of]?.at, toHeld(each, claimed)]));
  if (![...held.values()].some(Boolean)) return undefined;
  return records.map((_record, at) => ({ ok: false, error: held.get(at) ?? waiting }));
}

/** Nothing has left yet, so an unavailable database is a failed lookup, and not a send of unknown outcome. */
async function findClaimed({ findClaimed: find }: BatchCreate, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (find === undefined || ids.length === 0) return new Set();
  try {
    return await find(ids);
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    const detail = 'Not sent again yet: whose the records with its external id are could not be looked up';
    throw new ProviderError({ class: 'unavailable', detail, cause: error });
  }
}

/** Ids of the records that may be what an earlier send made. */
function candidatesIn(found: FoundCreated): readonly string[] {
  return found.kind === 'cannot-look-up' ? [] : [...matchesIn(found), ...(found.near ?? [])];
}

const matchesIn = (found: FoundCreated): readonly string[] =>
  found.kind === 'found' ? found.matches.map(({ recordId }) => recordId) : [];

/** Why one record is not sent; undefined: it may be. */
function toHeld(found: FoundCreated, claimed: ReadonlySet<string>): ProviderFailure | undefined {
  const existingId = candidatesIn(found).find((id) => !claimed.has(id));
  if (existingId === undefined) return found.consistent ? undefined : notAllVisible;
  return mayBeOurs(existingId, matchesIn(found).includes(existingId) ? 'the same' : 'nearly the same');
}

const notAllVisible: ProviderFailure = {
  class: 'unknown',
  scope: 'record',
  message: 'Not sent again: more records with its external id were made since the first send than can be looked at',
};

const waiting: ProviderFailure = {
  class: 'unavailable',
  scope: 'call',
  message: 'Not sent again yet: another record of the call may be there, and is looked for first',
};

/**
 * Unknown, because that is looked for: what is our own is adopted, also one in which a trigger rewrote a value. No conflict: nothing refused
 * the record, and once the one that was seen turns out to be another create's it is sent.
 */
function mayBeOurs(existingId: string, values: 'the same' | 'nearly the same'): ProviderFailure {
  const message = `Not sent again: record ${existingId} was made since the first send and has ${values} values. It may be ours: Salesforce does not keep the external id unique`;
  return { class: 'unknown', scope: 'record', message, existingId };
}

/** `PATCH /composite/sobjects/{object}/{field}`, answered as a create, with `created` per record. Source: reference B3. */
function upsert(api: SalesforceApi, write: BatchCreate, key: FieldDescription): Promise<RecordResult[]> {
  const path = paths.upserts(write.objectName, key.name);
  const attributes = { type: write.objectName };
  const sent = write.records.map(({ fields }) => ({ ...toSent(fields, 'create'), attributes }));
  return sendCollection(api, write, { operation: 'batch-upsert', method: 'PATCH', path, sent });
}
