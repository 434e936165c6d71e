import { joinList } from '@sluice/types';
import { cleanText } from '../failures';
import { type Json, isJson, listOf, textOf } from '../json';
import type { Fields } from '../requests';
import type { ProviderRecord, RecordResult } from '../results';

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
