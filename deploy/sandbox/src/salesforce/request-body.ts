import { badRequest, unreadable } from './wire-reply';

export type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Source: docs/contributing/providers.md, B3. */
const RECORDS_MAX = 200;
const CHUNKS_MAX = 10;

/** Reads the body as a JSON object. */
export function readJsonObject(bodyText: string): JsonObject {
  let body: unknown;
  try {
    body = JSON.parse(bodyText);
  } catch (cause) {
    throw unreadable(describeSyntaxError(bodyText, cause));
  }
  if (!isObject(body)) throw unreadable('Cannot deserialize instance of sobject from START_ARRAY value [');
  return body;
}

/** `{allOrNone, records}` of a collection: 1 to 200 records in at most 10 runs of one type. */
export function readCollection(bodyText: string): {
  readonly allOrNone: boolean;
  readonly records: readonly JsonObject[];
} {
  const { allOrNone, records } = readJsonObject(bodyText);
  if (!Array.isArray(records) || records.length === 0) throw recordRequired();
  if (records.length > RECORDS_MAX) throw tooMany(RECORDS_MAX);
  if (!records.every(isObject)) throw unreadable('Cannot deserialize instance of sobject from VALUE_STRING value');
  const types = records.map(typeOf);
  const chunks = types.filter((type, index) => index === 0 || type !== types[index - 1]).length;
  if (chunks > CHUNKS_MAX) {
    const message = `Cannot have more than ${CHUNKS_MAX} chunks in a single operation. Please rearrange the data to reduce chunking.`;
    throw badRequest('EXCEEDED_MAX_TYPES_LIMIT', message);
  }
  return { allOrNone: allOrNone === true, records };
}

/** `attributes.type` of a record in a collection. */
export function typeOf(record: JsonObject): string {
  const type = isObject(record.attributes) ? record.attributes.type : undefined;
  if (typeof type === 'string') return type;
  throw badRequest('INVALID_INPUT', 'Each record needs attributes with the type of the object');
}

/** A list of ids or names in a body or, comma-separated, in a query. */
export function readNames(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(',').map((name) => name.trim());
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

/** A member of a record, whatever its case. */
export function member(record: JsonObject, name: string): unknown {
  const key = Object.keys(record).find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : record[key];
}

export const recordRequired = () => badRequest('REQUIRED_FIELD_MISSING', 'At least 1 record is required');

export const tooMany = (limit: number) =>
  badRequest('EXCEEDED_ID_LIMIT', `record limit reached. cannot submit more than ${limit} records in this operation`);

/** Salesforce counts lines and columns from one; V8 gives an offset, or nothing when the text ends too early. */
function describeSyntaxError(text: string, cause: unknown): string {
  const message = cause instanceof Error ? cause.message : 'Unexpected character';
  const offset = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
  const before = text.slice(0, offset).split('\n');
  return `${message} at [line:${before.length}, column:${(before.at(-1)?.length ?? 0) + 1}]`;
}
