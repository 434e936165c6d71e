import { isObject, stringsIn } from '../crm/json-body';
import { fieldMissing, invalid, invalidJson } from './errors';
import { propertyValue, type CrmRecord, type ObjectType, type ValueType } from './object-type';
import { findObjectType } from './objects';
import type { Action, ObjectCall } from './portal-data';
import { presentRead } from './present-record';
import { readJsonObject } from './properties';
import { byId } from './single-records';

/** `POST /crm/v3/objects/{T}/search` -> one page, oldest record first unless sorted. Sees the lagging index. */
export const searchRecords: Action<ObjectCall> = (call) => {
  const { type, data } = call;
  const request = readSearchRequest(type, call.bodyText);
  const visible = data.searchable(type, call.now, call.searchLagMs);
  const matching = visible.filter((record) => isWanted(call, record, request));
  const found = sorted(type, matching, request.sort);
  const next = request.after + request.limit;
  return {
    status: 200,
    body: {
      total: found.length,
      results: found.slice(request.after, next).map((record) => presentRead(call, record, request.properties)),
      ...(next < found.length ? { paging: { next: { after: String(next) } } } : {}),
    },
  };
};

/** A checked search. */
interface SearchRequest {
  /** Groups are joined by OR, the filters of one by AND. Empty: everything. */
  readonly groups: readonly (readonly Filter[])[];
  readonly sort: { readonly propertyName: string; readonly descending: boolean } | undefined;
  readonly properties: readonly string[];
  /** 1 to 200. @default 10 */
  readonly limit: number;
  readonly after: number;
}

/** One condition of a search. */
interface Filter {
  readonly propertyName: string;
  readonly operator: 'EQ' | 'GTE';
  readonly value: string;
  /** Set for the pseudo-property `associations.{object}`, whose values are the ids of the linked records of this object. */
  readonly linkedTo?: ObjectType;
}

/** The operators that our connector sends; the others are refused as if HubSpot did not have them. */
const operators = ['EQ', 'GTE'] as const;

/** Limits of the search API. Source: docs/contributing/providers.md, A5, the guide's figures. */
const limits = { groups: 5, filtersPerGroup: 6, filters: 18, page: 200, reach: 10_000 };

/** Reads and checks the body of a search; every broken rule is a 400. */
function readSearchRequest(type: ObjectType, bodyText: string): SearchRequest {
  const body = readJsonObject(bodyText);
  const groups = readGroups(type, body.filterGroups);
  const limit = readWhole(body.limit, 10);
  if (limit < 1 || limit > limits.page) throw invalid(`limit must be between 1 and ${limits.page}, but was ${limit}`);
  const after = readWhole(body.after, 0);
  if (after + limit > limits.reach) throw invalid(`Search cannot page past ${limits.reach} results`);
  if (text(body.query) !== '') throw invalid('The sandbox does not search by query');
  return { groups, sort: readSort(type, body.sorts), properties: stringsIn(body.properties), limit, after };
}

function readGroups(type: ObjectType, value: unknown): Filter[][] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidJson('line 1, column 1: Cannot deserialize value of type `FilterGroup`');
  const groups = value.map((group: unknown) => {
    const filters = isObject(group) ? group.filters : undefined;
    if (!Array.isArray(filters)) throw fieldMissing('filters');
    return filters.map((filter) => readFilter(type, filter));
  });
  const largest = Math.max(0, ...groups.map((group) => group.length));
  if (groups.length > limits.groups || largest > limits.filtersPerGroup || groups.flat().length > limits.filters) {
    throw invalid(
      `A search takes at most ${limits.groups} filter groups, ${limits.filtersPerGroup} filters in each and ${limits.filters} in all`,
    );
  }
  return groups;
}

function readFilter(type: ObjectType, value: unknown): Filter {
  if (!isObject(value) || typeof value.propertyName !== 'string') throw fieldMissing('propertyName');
  const { propertyName } = value;
  const linkedTo = linkedObject(propertyName);
  if (!linkedTo) requireProperty(type, propertyName);
  const operator = operators.find((known) => known === value.operator && (!linkedTo || known === 'EQ'));
  if (!operator) {
    throw invalidJson(
      `line 1, column 1: Cannot deserialize value of type \`Operator\` from String "${String(value.operator)}"`,
    );
  }
  if (text(value.value).trim() === '') {
    throw invalidJson(
      `line 1, column 1: value must be non-empty and non-blank, if specified {propertyName: '${propertyName}'}`,
    );
  }
  return { propertyName, operator, value: text(value.value), ...(linkedTo && { linkedTo }) };
}

/** `associations.company` in place of a property. Source: HubSpot's guide to search, "Search through associations". */
function linkedObject(propertyName: string): ObjectType | undefined {
  const [, name] = /^associations\.(.+)$/.exec(propertyName) ?? [];
  return name === undefined ? undefined : findObjectType(name);
}

/** `sorts` has at most one entry: an object, or a name with `-` in front for descending. */
function readSort(type: ObjectType, value: unknown): SearchRequest['sort'] {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  if (value.length > 1) throw invalid('A search takes at most one sort');
  const sort: unknown = value[0];
  const spelled = isObject(sort) ? text(sort.propertyName) : text(sort);
  const propertyName = spelled.replace(/^-/, '');
  requireProperty(type, propertyName);
  const descending = isObject(sort) ? sort.direction === 'DESCENDING' : spelled.startsWith('-');
  return { propertyName, descending };
}

function requireProperty({ properties }: ObjectType, name: string): void {
  if (properties.has(name)) return;
  const message = `Property '${name}' does not exist`;
  throw invalid('There was a problem with the request.', {
    errors: [{ message, code: 'PROPERTY_DOESNT_EXIST', context: { propertyName: [name] } }],
  });
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function readWhole(value: unknown, otherwise: number): number {
  if (value === undefined || value === null || value === '') return otherwise;
  const number = Number(text(value));
  if (!Number.isInteger(number) || number < 0) throw invalid(`${text(value)} was not a valid long.`);
  return number;
}

function isWanted(call: ObjectCall, record: CrmRecord, { groups }: SearchRequest): boolean {
  return groups.length === 0 || groups.some((group) => group.every((filter) => isMet(call, record, filter)));
}

/** An unset property meets no condition. */
function isMet({ type, data }: ObjectCall, record: CrmRecord, filter: Filter): boolean {
  const { linkedTo, propertyName, operator, value } = filter;
  if (linkedTo) return data.linked(record.id, linkedTo).some(({ toId }) => toId === value);
  const actual = propertyValue(type, record, propertyName);
  if (actual === undefined) return false;
  const order = compareValues(actual, value, type.properties.get(propertyName)?.type ?? 'string');
  return order === 0 || (operator === 'GTE' && order > 0);
}

/** Records without the property come last in either direction; ties keep the order of creation. */
function sorted(objectType: ObjectType, records: readonly CrmRecord[], sort: SearchRequest['sort']): CrmRecord[] {
  const byAge = records.toSorted(byId);
  if (!sort) return byAge;
  const type = objectType.properties.get(sort.propertyName)?.type ?? 'string';
  const direction = sort.descending ? -1 : 1;
  const valueOf = (record: CrmRecord): string | undefined => propertyValue(objectType, record, sort.propertyName);
  return byAge.sort((a, b) => {
    const [left, right] = [valueOf(a), valueOf(b)];
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    return direction * compareValues(left, right, type);
  });
}

/** Orders two values of one type: numbers and moments by size, anything else as lower-case text. */
function compareValues(a: string, b: string, type: ValueType): number {
  const [left, right] = [comparable(a, type), comparable(b, type)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function comparable(value: string, type: ValueType): string | number {
  if (type === 'number') return Number(value);
  if (type === 'date' || type === 'datetime') return /^-?\d+$/.test(value) ? Number(value) : Date.parse(value);
  return value.toLowerCase();
}
