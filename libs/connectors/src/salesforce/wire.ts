import { isRecordId } from './record-id';

/**
 * Salesforce's bodies as they arrive: nothing in them is trusted, every member may be missing or of another type.
 * Source of the shapes: Salesforce REST guide; see reference B2, B3, B4 and B7.
 */

export type Json = Readonly<Record<string, unknown>>;

/** One error, of a call (`errorCode`), of a record in a 2xx (`statusCode`) or of the OAuth endpoints (`error`). */
export interface WireError {
  readonly code: string | undefined;
  readonly message: string;
  /** Field names that the error is about. */
  readonly fields: readonly string[];
  /** Records that a duplicate rule found, where the reply names them. */
  readonly duplicateIds: readonly string[];
}

/** The outcome of one record: the body of a 201, an item of a collection's reply. */
export interface WireSaved {
  readonly id: string | undefined;
  /** Undefined when the reply does not say. */
  readonly success: boolean | undefined;
  readonly errors: readonly WireError[];
}

/** A page of a query. */
export interface WirePage {
  readonly records: readonly Json[];
  /** False: there are more rows than the page holds, or the reply does not say that there are none. */
  readonly isWhole: boolean;
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textsOf(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

/** The errors of a refused call: a list, or one object from the OAuth endpoints. */
export function readErrors(body: unknown): WireError[] {
  const errors = Array.isArray(body) ? body.filter(isJson) : isJson(body) ? [body] : [];
  return errors.map(readError).filter(({ code, message }) => code !== undefined || message !== '');
}

export function readSaved(value: unknown): WireSaved | undefined {
  if (!isJson(value)) return undefined;
  const { id, success, errors } = value;
  return {
    id: typeof id === 'string' && isRecordId(id) ? id : undefined,
    success: typeof success === 'boolean' ? success : undefined,
    errors: readErrors(listOf(errors)),
  };
}

/** Undefined for what is no page of a query: nothing follows from it, least of all that there is no such record. */
export function readPage(body: unknown): WirePage | undefined {
  if (!isJson(body)) return undefined;
  const { records, totalSize, done } = body;
  if (!Array.isArray(records) || !records.every(isJson)) return undefined;
  return { records, isWhole: done === true && typeof totalSize === 'number' && totalSize <= records.length };
}

/** A record's id: `Id` where it was asked for, else the end of its own address. */
export function recordIdOf(record: Json): string | undefined {
  const id = Object.entries(record).find(([name]) => name.toLowerCase() === 'id')?.[1];
  const { attributes } = record;
  const url = isJson(attributes) ? textOf(attributes['url']) : undefined;
  const found = textOf(id) ?? url?.slice(url.lastIndexOf('/') + 1);
  return found !== undefined && isRecordId(found) ? found : undefined;
}

/** Salesforce writes `+0000`, which is no ISO 8601 of ECMAScript. */
export function dateOf(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined;
  const date = new Date(value.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function readError(error: Json): WireError {
  const { errorCode, statusCode, error: oauthError } = error;
  return {
    code: textOf(errorCode) ?? textOf(statusCode) ?? textOf(oauthError),
    message: textOf(error['message']) ?? textOf(error['error_description']) ?? '',
    fields: textsOf(error['fields']),
    duplicateIds: duplicatesOf(error['duplicateResult']),
  };
}

function duplicatesOf(result: unknown): string[] {
  const matches = isJson(result) ? listOf(result['matchResults']).filter(isJson) : [];
  const records = matches.flatMap((match) => listOf(match['matchRecords']).filter(isJson));
  const ids = records.flatMap(({ record }) => (isJson(record) ? (recordIdOf(record) ?? []) : []));
  return [...new Set(ids)];
}
