import type { ProviderCall } from '../requests';
import type { ProviderFailure } from '../results';
import type { SalesforceApi } from './call-salesforce';
import { isRecordId, paths, readPage, type WirePage } from './wire';

/** One condition; conditions are joined by AND. The field is an identifier, the literals are finished texts. */
export interface Condition {
  readonly field: string;
  readonly operator: '=' | 'IN' | '>=';
  /** One, or any number with IN. */
  readonly literals: readonly string[];
}

export interface Selection {
  readonly objectName: string;
  /** Canonical names without `Id`, or every field. */
  readonly fields: readonly string[] | 'all';
  readonly where: readonly Condition[];
  readonly limit: number;
}

/**
 * The one place that joins a query. It takes identifiers that were looked up in the object's description and literals
 * made here; no text of a caller comes here. Source: reference B4; reliability checklist, item 25.
 */
function toSoql({ objectName, fields, where, limit }: Selection): string {
  const names = fields === 'all' ? 'FIELDS(ALL)' : [...new Set(['Id', ...fields])].join(', ');
  const conditions = where.map(
    ({ field, operator, literals }) =>
      `${field} ${operator} ${operator === 'IN' ? `(${literals.join(', ')})` : literals.join('')}`,
  );
  const filter = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  return `SELECT ${names} FROM ${objectName}${filter} LIMIT ${limit}`;
}

/** A literal, finished for a query, or what a value of the type must be. */
type Literal = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly rule: string };

/** The escapes that have a letter. Source: reference B4. */
const letters: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

/** What ends or hides in a literal: quote, backslash, control characters, line separators, halves of a surrogate pair. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const special = /[\\'\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Surrogate}/gu;

/** A text in quotes. Backslashes and quotes are escaped in one pass, so that no escape can be escaped again. */
export function quote(text: string): string {
  return `'${text.replace(special, (found) => letters[found] ?? `\\u${hex(found)}`)}'`;
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}

const integer = /^-?\d{1,18}$/;
const decimal = /^-?\d{1,20}(\.\d{1,20})?$/;
const day = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;
const clock = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?Z?$/;

/** Types by the form of their literal. Source: reference B4, B5. */
const makers: Readonly<Record<string, (text: string) => Literal>> = {
  boolean: (text) => (/^(true|false)$/i.test(text) ? bare(text.toLowerCase()) : not('true or false')),
  int: toInteger,
  long: toInteger,
  double: toDecimal,
  currency: toDecimal,
  percent: toDecimal,
  date: (text) => (day.test(text) && isDay(text) ? bare(text) : not('a date as 2026-01-31')),
  datetime: toMoment,
  time: (text) => (clock.test(text) ? bare(text.endsWith('Z') ? text : `${text}Z`) : not('a time as 13:30:00Z')),
  id: toId,
  reference: toId,
};

/** A value as the field's type takes it in a query: texts are quoted, the others checked and bare. */
export function toLiteral(type: string, value: unknown): Literal {
  if (!isScalar(value)) return not('a text, a number or a boolean');
  const text = String(value);
  const maker = Object.hasOwn(makers, type) ? makers[type] : undefined;
  return maker ? maker(text.trim()) : { ok: true, text: quote(text) };
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function toInteger(text: string): Literal {
  return integer.test(text) ? bare(text) : not('a whole number of at most 18 digits');
}

function toDecimal(text: string): Literal {
  return decimal.test(text) ? bare(text) : not('a number as -12.5');
}

function toMoment(text: string): Literal {
  const date = new Date(text);
  if (!moment.test(text) || Number.isNaN(date.getTime()) || !isDay(text.slice(0, 10)))
    return not('a moment with its zone, as 2026-01-31T12:00:00Z');
  return bare(momentLiteral(date));
}

function toId(text: string): Literal {
  return isRecordId(text) ? { ok: true, text: quote(text) } : not('an id of 15 or 18 letters and digits');
}

/** Without milliseconds where there are none. */
export function momentLiteral(date: Date): string {
  return date.toISOString().replace('.000Z', 'Z');
}

/** JavaScript takes 30 February for 2 March. */
function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function bare(text: string): Literal {
  return { ok: true, text };
}

function not(rule: string): Literal {
  return { ok: false, rule };
}

/** Bytes of a URI that Salesforce takes, without some for the origin. Source: reference B4. */
export const pathBytesMax = 16_384 - 300;

/** Of the request, in bytes: percent-encoding leaves only ASCII. */
export function pathBytes(selection: Selection): number {
  return paths.query(toSoql(selection)).length;
}

/** One page of a query, or why not. */
type Queried =
  { readonly ok: true; readonly page: WirePage } | { readonly ok: false; readonly failure: ProviderFailure };

/**
 * `GET /query?q=`, or `/queryAll?q=` to see what was deleted or merged too. Reads what is committed, without lag. Never throws.
 * Source: reference B4.
 */
export async function query(
  api: SalesforceApi,
  selection: Selection,
  call: ProviderCall,
  records: 'live' | 'with-deleted' = 'live',
): Promise<Queried> {
  const path = paths.query(toSoql(selection), records === 'live' ? 'query' : 'queryAll');
  if (path.length > pathBytesMax) {
    const message = `the query is ${path.length} bytes long as a URL, and Salesforce takes ${pathBytesMax}: use fewer or shorter filters`;
    return { ok: false, failure: { class: 'rejected', scope: 'record', message } };
  }
  const answer = await api.call({ operation: 'search', method: 'GET', path }, call);
  if (!answer.ok) return answer;
  const page = readPage(answer.body);
  if (page) return { ok: true, page };
  const message = 'Salesforce answered a query without records';
  return { ok: false, failure: { class: 'unavailable', scope: 'call', message } };
}
