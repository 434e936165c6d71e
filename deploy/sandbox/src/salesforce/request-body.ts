import { isObject, parseBody, stringsIn, type JsonObject } from '../crm/json-body';
import { badRequest, unreadable } from './errors';

/** Source: docs/contributing/providers.md, B3. */
const RECORDS_MAX = 200;

/** Reads the body as a JSON object. */
export function readJsonObject(bodyText: string): JsonObject {
  const body = parseBody(bodyText);
  if ('fault' in body) throw unreadable(body.fault);
  if (isObject(body.json)) return body.json;
  throw unreadable('Cannot deserialize instance of sobject from START_ARRAY value [');
}

/** A collection of a call. */
export interface Collection {
  readonly allOrNone: boolean;
  readonly records: readonly JsonObject[];
}

/** `{allOrNone, records}`: 1 to 200 records. */
export function readCollection(bodyText: string): Collection {
  const { allOrNone, records } = readJsonObject(bodyText);
  if (!Array.isArray(records)) throw recordRequired();
  requireSize(records, RECORDS_MAX);
  if (!records.every(isObject)) throw unreadable('Cannot deserialize instance of sobject from VALUE_STRING value');
  return { allOrNone: allOrNone === true, records };
}

/** Refuses a list without entries, or with more than `limit`. */
export function requireSize({ length }: readonly unknown[], limit: number): void {
  if (length === 0) throw recordRequired();
  if (length <= limit) return;
  const message = `record limit reached. cannot submit more than ${limit} records in this operation`;
  throw badRequest('EXCEEDED_ID_LIMIT', message);
}

const recordRequired = () => badRequest('REQUIRED_FIELD_MISSING', 'At least 1 record is required');

/** `attributes.type` of a record in a collection. */
export function typeOf(record: JsonObject): string {
  const type = isObject(record.attributes) ? record.attributes.type : undefined;
  if (typeof type === 'string') return type;
  throw badRequest('INVALID_INPUT', 'Each record needs attributes with the type of the object');
}

/** A list of ids or names in a body or, comma-separated, in a query. */
export function readNames(value: unknown): readonly string[] {
  return typeof value === 'string' ? value.split(',').map((name) => name.trim()) : stringsIn(value);
}

/** A member of a record, whatever its case. */
export function member(record: JsonObject, name: string): unknown {
  const key = Object.keys(record).find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : record[key];
}
