import type { ReceivedCall } from '../control/imitated-provider';
import type { Endpoint } from './api-call';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A body as JSON, or why it cannot be read. */
export function parseBody(text: string): { readonly json: unknown } | { readonly fault: string } {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch (cause) {
    return { fault: (cause as SyntaxError).message };
  }
}

/** A list of strings; anything else in it is left out, anything else is an empty list. */
export function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

/** How many records a call carries, for the ledger. A body that cannot be read carries none. */
export function countRecords(carries: Endpoint<never>['carries'], { query, bodyText }: ReceivedCall): number {
  if (carries === 'none') return 0;
  if (carries === 'one') return 1;
  const listed = query.get(carries);
  return listed === null ? listIn(bodyText, carries).length : listed.split(',').filter(Boolean).length;
}

/** The entries of a list in the body, else the body itself. */
export function carriedRecords(bodyText: string, list: 'inputs' | 'records'): readonly JsonObject[] {
  const records = listIn(bodyText, list);
  return (records.length > 0 ? records : [readJson(bodyText)]).map((record) => (isObject(record) ? record : {}));
}

function listIn(bodyText: string, member: string): readonly unknown[] {
  const body = readJson(bodyText);
  const list = isObject(body) ? body[member] : undefined;
  return Array.isArray(list) ? list : [];
}

/** A body as JSON; undefined for none and for what cannot be read. */
export function readJson(bodyText: string): unknown {
  const body = parseBody(bodyText);
  return 'json' in body ? body.json : undefined;
}
