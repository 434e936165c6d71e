import { joinList } from '@sluice/types';
import { isJson, type Json, listOf, textOf } from '../http-client';
import { cleanText } from '../provider-call';
import type { Fields } from '../requests';
import type { ProviderRecord, RecordResult } from '../results';

const root = '/crm/v3/objects';

/** Every path. The only place that spells one; names and ids are percent-encoded, so none can add a segment. Source: reference A1. */
export const paths = {
  /** Create. */
  objects: (objectName: string) => `${root}/${encode(objectName)}`,
  /** Update and delete. */
  object: (objectName: string, recordId: string) => `${paths.objects(objectName)}/${encode(recordId)}`,
  batch: (objectName: string, action: 'create' | 'update' | 'upsert' | 'read') =>
    `${paths.objects(objectName)}/batch/${action}`,
  search: (objectName: string) => `${paths.objects(objectName)}/search`,
  /** The object's fields. */
  properties: (objectName: string) => `/crm/v3/properties/${encode(objectName)}`,
  /** The object's required fields, and the types of its associations. Schemas have no other layout that is current. */
  schema: (objectName: string) => `/crm-object-schemas/2026-03/schemas/${encode(objectName)}`,
  /** Links between records of two objects. */
  associations: (from: string, to: string) => `/crm/associations/2026-03/${encode(from)}/${encode(to)}/batch/create`,
  account: '/account-info/v3/details',
  /** Where a refresh token is changed. */
  token: '/oauth/2026-03/token',
} as const;

/** Every character of our paths once names and ids are percent-encoded. No dot, so no `..`; no `%`. */
const safePath = /^[\w/-]+$/;

/** False when an object name or a record id brought in a character that HubSpot's names and ids do not have. */
export function isSafePath(path: string): boolean {
  return safePath.test(path) && !path.includes('//') && !path.endsWith('/');
}

/** Half of a surrogate pair has no encoding; its replacement is not safe either, so the path is refused. */
function encode(segment: string): string {
  return encodeURIComponent(segment.toWellFormed());
}

/** Each object by the names that HubSpot takes for it in a path: plural first, then singular and type id. Source: reference A1. */
const objects = [
  ['contacts', 'contact', '0-1'],
  ['companies', 'company', '0-2'],
  ['deals', 'deal', '0-3'],
  ['tickets', 'ticket', '0-5'],
  ['products', 'product', '0-7'],
  ['line_items', 'line_item', '0-8'],
] as const;

const canonical = new Map<string, string>(objects.flatMap((names) => names.map((name) => [name, names[0]])));

/** One name per object, so that `contacts` and `0-1` are the same. An object that is not listed keeps its name. */
export function canonicalObjectName(objectName: string): string {
  return canonical.get(objectName) ?? objectName;
}

/**
 * HubSpot's bodies as they arrive: nothing in them is trusted, every member may be missing or of another type.
 * Source of the shapes: HubSpot's published OpenAPI collection; see reference A2, A3 and A7.
 */

/** A record of a reply. Records without a usable id are not read at all. */
export interface WireRecord {
  readonly id: string;
  readonly properties: Json;
  readonly createdAt: Date | undefined;
  /** Echo of the input's objectWriteTraceId, where HubSpot sends it. */
  readonly traceId: string | undefined;
  readonly warnings: readonly string[];
  readonly raw: Json;
}

/** An item of `errors[]` in a batch reply. */
export interface WireError {
  readonly category: string | undefined;
  readonly message: string;
  readonly context: Json;
}

export interface WireBatch {
  /** COMPLETE, PENDING, PROCESSING, CANCELED. */
  readonly status: string | undefined;
  readonly results: readonly WireRecord[];
  readonly errors: readonly WireError[];
}

/** Strings of a context member: `{ids: ['1', '2']}`. */
export function textsOf(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item) => typeof item === 'string' || typeof item === 'number').map(String);
}

export function readRecord(value: unknown): WireRecord | undefined {
  if (!isJson(value)) return undefined;
  const { id, properties, createdAt } = value;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  if (id === '') return undefined;
  return {
    id: String(id),
    properties: isJson(properties) ? properties : {},
    createdAt: dateOf(createdAt) ?? dateOf(isJson(properties) ? properties['createdate'] : undefined),
    traceId: textOf(value['objectWriteTraceId']),
    warnings: readWarnings(value['warnings']),
    raw: value,
  };
}

/** Reads the envelope of a batch or a search. A record that comes twice is read once. */
export function readBatch(body: Json): WireBatch {
  const results = listOf(body['results']).flatMap((record) => readRecord(record) ?? []);
  const errors = listOf(body['errors']).map(readError);
  return {
    status: textOf(body['status']),
    results: [...new Map(results.map((record) => [record.id, record])).values()],
    errors,
  };
}

/** HubSpot has finished the batch, or states no status. */
export function isOver(status: WireBatch['status']): boolean {
  return status === undefined || status === 'COMPLETE';
}

function readError(error: Json): WireError {
  return {
    category: textOf(error['category']),
    message: textOf(error['message']) ?? '',
    context: isJson(error['context']) ? error['context'] : {},
  };
}

/** From version 2026-09 a success may say that HubSpot changed a value. */
function readWarnings(value: unknown): string[] {
  return listOf(value).map(({ category, context, message }) => {
    const name = isJson(context) ? textsOf(context['propertyName']).join(', ') : '';
    return cleanText([textOf(category) ?? 'WARNING', name, textOf(message)].filter(Boolean).join(' '));
  });
}

function dateOf(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined;
  const date = new Date(/^\d+$/.test(value) ? Number(value) : value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Between the choices of a multi-select. Source: reference A2, Values. */
export const listSeparator = ';';

/**
 * Values as HubSpot takes them. Strings, numbers and booleans are sent as given. `null` becomes `""`, which is how
 * HubSpot empties a property; HubSpot documents no meaning of a JSON null there. A list becomes the `;` form of a
 * multi-select, unless that would change its items. Anything else is sent as given, for HubSpot to refuse. Source: reference A2, Values.
 */
export function toProperties(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toValue(value)]));
}

function toValue(value: unknown): unknown {
  if (value === null) return '';
  return Array.isArray(value) ? joinList(value, listSeparator) : value;
}

/** `data` is the record as HubSpot returned it, for single and batch writes alike. */
export function toSuccess(record: WireRecord, ...warnings: readonly string[]): RecordResult {
  const all = [...record.warnings, ...warnings];
  return { ok: true, recordId: record.id, data: record.raw, ...(all.length > 0 && { warnings: all }) };
}

export function mergedWarning(recordId: string, survivingId: string): string {
  return `HubSpot updated record ${survivingId}, into which ${recordId} was merged`;
}

/** A record as it leaves this folder. */
export function toProviderRecord(record: WireRecord): ProviderRecord {
  const { id, properties, raw, createdAt } = record;
  return { id, fields: properties, raw, ...(createdAt && { createdAt }) };
}

/** What an account's schema of one object has beyond its properties. */
export interface ObjectSchema {
  /** Plural: `Contacts`. */
  readonly label?: string;
  readonly requiredFields: ReadonlySet<string>;
  /** Association type id to the type ids of the objects it can point to: `279` to `0-2`. */
  readonly targets: ReadonlyMap<string, ReadonlySet<string>>;
}

export function toSchema(body: Json): ObjectSchema {
  const label = isJson(body['labels']) ? textOf(body['labels']['plural']) : undefined;
  const own = textOf(body['objectTypeId']);
  const targets = new Map<string, Set<string>>();
  for (const type of listOf(body['associations'])) {
    const [id, to, from] = [textsOf(type['id'])[0], textOf(type['toObjectTypeId']), textOf(type['fromObjectTypeId'])];
    if (id === undefined || to === undefined || (own !== undefined && from !== undefined && from !== own)) continue;
    targets.set(id, (targets.get(id) ?? new Set()).add(to));
  }
  return {
    ...(label !== undefined && { label }),
    requiredFields: new Set(textsOf(body['requiredProperties'])),
    targets,
  };
}

/** A decimal without leading zeros: `007` is a text, `5.0` and `5` are one number. */
const decimal = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const isoMoment = /^\d{4}-\d\d-\d\d(t\d\d:\d\d(:\d\d(\.\d+)?)?(z|[+-]\d\d:\d\d))?$/;

/**
 * The normal form of a value, equal for all that HubSpot rewrites it into. Text is trimmed and in lower case, as emails and domains come back.
 * Numbers and booleans are texts, dates and moments are milliseconds. A multi-select has no order, and an unset value is empty. Source: reference A2,
 * Values.
 */
export function normalizeValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return normalizeValue(value.join(';'));
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).trim().toLowerCase();
  if (text.includes(';')) return text.split(';').map(normalizeValue).filter(Boolean).sort().join(';');
  if (isoMoment.test(text) && !Number.isNaN(Date.parse(text.toUpperCase())))
    return String(Date.parse(text.toUpperCase()));
  // Digits beyond what a number carries stay as they are.
  return decimal.test(text) && text.length <= 15 ? String(Number(text)) : text;
}

export function sameValue(one: unknown, other: unknown): boolean {
  return normalizeValue(one) === normalizeValue(other);
}

/**
 * Whether a record of HubSpot carries every value that was sent. A property that the record does not show at all is
 * passed over; at least one that is not empty must be shown and equal.
 */
export function matchesSent(sent: Fields, stored: Readonly<Record<string, unknown>>): boolean {
  const shown = Object.entries(sent).filter(([name]) => Object.hasOwn(stored, name));
  return (
    shown.some(([, value]) => normalizeValue(value) !== '') &&
    shown.every(([name, value]) => sameValue(value, stored[name]))
  );
}

/** Choices, numbers and ids: HubSpot keeps them as they are sent, and writes texts of more than a word in forms of its own. */
const oneWord = /^\w{0,80}$/;

/**
 * Warnings of values that a success shows otherwise than they were sent: HubSpot moves a lifecycle stage forward only, and says nothing of it.
 * Source: docs/providers/field-reports.md, H44.
 */
export function keptOtherwise(sent: Fields, stored: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(sent).flatMap(([name, value]) => {
    const shown = stored[name] ?? '';
    const isWord = typeof value === 'string' && value !== '' && typeof shown === 'string' && shown !== value;
    const isOther = isWord && oneWord.test(value) && oneWord.test(shown) && !sameValue(value, shown);
    return isOther && Object.hasOwn(stored, name) ? [`HubSpot shows another value of ${name} than was sent`] : [];
  });
}

/** A property that HubSpot keeps unique, with the value that a record sends. */
export interface UniqueKey {
  readonly name: string;
  /** Trimmed and in lower case: HubSpot compares so. */
  readonly value: string;
}

/**
 * The property that makes a second create of the same record fail at HubSpot, and the first one findable at once.
 * Only the contact's email is one without the account's schema: a company's domain and a deal's name may be
 * in many records. Source: reference A2, Uniqueness.
 */
export function uniqueKeyOf(objectName: string, fields: Fields): UniqueKey | undefined {
  const email = fields['email'];
  if (canonicalObjectName(objectName) !== 'contacts' || typeof email !== 'string') return undefined;
  const value = email.trim().toLowerCase();
  return value.includes('@') ? { name: 'email', value } : undefined;
}

/**
 * The first property of these that the record sends a text or a number in. At most one record has such a value, so it finds the
 * record at once. Source: reference A2, 1c.
 */
export function accountKeyOf(unique: readonly string[], fields: Fields): UniqueKey | undefined {
  for (const name of unique) {
    const sent = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const value = typeof sent === 'string' || typeof sent === 'number' ? String(sent).trim() : '';
    if (value !== '') return { name, value };
  }
  return undefined;
}
