import { ProviderError } from '@sluice/errors';
import { assertBatchSize, toProviderError } from '../provider-call';
import type { BatchRead } from '../requests';
import type { ProviderFailure, RecordRead } from '../results';
import { batchRecordsMax, hubspot, type HubspotApi, itemFailure } from './call-hubspot';
import { unanswered } from './failure-tables';
import {
  isOver,
  normalizeValue,
  paths,
  readBatch,
  textsOf,
  toProviderRecord,
  type WireBatch,
  type WireError,
} from './wire';

/**
 * Requests beyond the first that one read makes at most, to find out which record a reply is about: half of an account's limit for ten seconds. What
 * is left is the next attempt's. Our choice.
 */
const moreRequestsMax = 50;

/**
 * `POST /objects/{object}/batch/read`, by id or by a unique property (`idProperty`). Served from the record store,
 * so it does not lag like search does. Source: reference A3.
 * An absent record is one that HubSpot names as not found. An id that the reply does not account for has no answer, and taking that for
 * absence would send a create twice and write over a customer's value. An id that HubSpot refuses to read is its own failure.
 * @throws ProviderError; `unavailable` when the reply accounts for none of them
 */
export async function batchRead(api: HubspotApi, read: BatchRead): Promise<RecordRead[]> {
  const { byProperty } = read;
  const wanted = byProperty ? byProperty.values : read.ids;
  assertBatchSize(hubspot, batchRecordsMax, wanted.length);
  if (wanted.length === 0) return [];
  const unique = [...new Map(wanted.map((value) => [normalizeValue(value), value])).values()];
  const reads = await readTogether({ api, read, requestsLeft: moreRequestsMax }, unique);
  return wanted.map((value) => reads.get(normalizeValue(value)));
}

/** One read, and the requests that it may still make. */
interface Reading {
  readonly api: HubspotApi;
  readonly read: BatchRead;
  requestsLeft: number;
}

/** By normalised id or value. */
type Reads = Map<string, RecordRead>;

async function readTogether(reading: Reading, unique: readonly string[]): Promise<Reads> {
  const { api, read } = reading;
  const { objectName, byProperty } = read;
  const properties = byProperty ? [...new Set([...read.fields, byProperty.name])] : read.fields;
  const answer = await api.call(
    {
      operation: 'batch-read',
      method: 'POST',
      path: paths.batch(objectName, 'read'),
      body: {
        ...(byProperty && { idProperty: byProperty.name }),
        properties,
        propertiesWithHistory: [],
        inputs: unique.map((id) => ({ id })),
      },
    },
    read,
  );
  if (!answer.ok) throw toProviderError(answer.failure, 'hubspot');
  return await account(reading, unique, readBatch(answer.body));
}

/** The read of each of these in the reply. */
async function account(reading: Reading, unique: readonly string[], batch: WireBatch): Promise<Reads> {
  const { read } = reading;
  const token = read.auth.accessToken;
  const keys = unique.map(normalizeValue);
  const reads = found(batch, read.byProperty?.name, keys);
  const hasOthers = reads.size < batch.results.length;
  const unnamed: WireError[] = [];
  for (const error of batch.errors) {
    const named = textsOf(error.context['ids']).map(normalizeValue);
    if (named.length === 0) unnamed.push(error);
    for (const key of named) if (keys.includes(key) && !reads.has(key)) reads.set(key, refusedOf(error, token));
  }
  const left = unique.filter((value) => !reads.has(normalizeValue(value)));
  const finals = unnamed.map((error) => refusedOf(error, token)).filter((refused) => refused?.retry !== 'backoff');
  const [last, ...others] = left;
  if (last === undefined) return reads;
  // Requested alone, a record under another id, or a refusal that names no id, can belong to it only.
  const [record, ...more] = batch.results;
  if (unique.length === 1 && record && more.length === 0) return reads.set(keys[0] as string, toProviderRecord(record));
  const isOfLast = others.length === 0 && !hasOthers && unnamed.length === 1 && finals.length === 1;
  if (isOfLast) return reads.set(normalizeValue(last), finals[0]);
  if (unique.length > 1 && (hasOthers || finals.length > 0)) {
    for (const [key, each] of await readHalves(reading, left)) reads.set(key, each);
  }
  const silence = noAnswer(batch, unnamed);
  if (reads.size === 0) throw silence;
  for (const key of keys) if (!reads.has(key)) reads.set(key, silence);
  return reads;
}

function found(batch: WireBatch, property: string | undefined, keys: readonly string[]): Reads {
  const reads: Reads = new Map();
  for (const record of batch.results) {
    const key = normalizeValue(property === undefined ? record.id : record.properties[property]);
    if (keys.includes(key)) reads.set(key, toProviderRecord(record));
  }
  return reads;
}

/** Undefined: HubSpot has no such record. */
function refusedOf(error: WireError, token: string): ProviderError | undefined {
  if (error.category === 'OBJECT_NOT_FOUND') return undefined;
  const failure = itemFailure(error, 'update', token);
  // Nothing depends on whether a read was carried out.
  return toProviderError({ ...failure, ...(failure.class === 'unknown' && { class: 'unavailable' }) }, 'hubspot');
}

/**
 * Reads each half, down to a single record, whose reply counts whatever id it names. A merged record answers under the surviving id, one with several
 * emails under its first.
 */
async function readHalves(reading: Reading, left: readonly string[]): Promise<Reads> {
  const middle = Math.ceil(left.length / 2);
  const first = await readHalf(reading, left.slice(0, middle));
  return new Map([...first, ...(await readHalf(reading, left.slice(middle)))]);
}

async function readHalf(reading: Reading, half: readonly string[]): Promise<Reads> {
  if (half.length === 0 || reading.requestsLeft === 0) return new Map();
  reading.requestsLeft -= 1;
  try {
    return await readTogether(reading, half);
  } catch (error) {
    // What concerns the account holds for all of them.
    if (!(error instanceof ProviderError) || error.class === 'quota' || error.class === 'credentials') throw error;
    if (error.class === 'rejected' && half.length > 1) return await readHalves(reading, half);
    return new Map(half.map((value) => [normalizeValue(value), error]));
  }
}

function noAnswer(batch: WireBatch, unnamed: readonly WireError[]): ProviderError {
  const status = isOver(batch.status) ? '' : `, which is ${batch.status}`;
  const reason = unnamed[0]?.message ?? `neither a result nor an error names the record${status}`;
  const message = `HubSpot read only a part of the records: ${reason}`;
  const failure: ProviderFailure = { class: unanswered.read.class, scope: 'call', message };
  return toProviderError(failure, 'hubspot');
}
