import { HubspotError, invalid, invalidJson } from './wire-reply';
import { linkOperators, operators, type Filter, type Operator } from './filters';
import { findObjectType } from './property-metadata';
import type { ObjectType } from './objects/object-type';
import { isObject, readJsonObject, readNames } from './request-body';

/** A checked search. */
export interface SearchRequest {
  /** Groups are joined by OR, the filters of one by AND. Empty: everything. */
  readonly groups: readonly (readonly Filter[])[];
  readonly query: string;
  readonly sort: { readonly propertyName: string; readonly descending: boolean } | undefined;
  readonly properties: readonly string[];
  /** 1 to 200. @default 10 */
  readonly limit: number;
  readonly after: number;
}

/** Limits of the search API. Source: docs/contributing/providers.md, A5, the guide's figures. */
const limits = { groups: 5, filtersPerGroup: 6, filters: 18, page: 200, reach: 10_000, query: 3000 };

/** Reads and checks the body of a search; every broken rule is a 400. */
export function readSearchRequest(type: ObjectType, bodyText: string): SearchRequest {
  const body = readJsonObject(bodyText);
  const groups = readGroups(type, body.filterGroups);
  const limit = readWhole(body.limit, 10);
  if (limit < 1 || limit > limits.page) throw invalid(`limit must be between 1 and ${limits.page}, but was ${limit}`);
  const after = readWhole(body.after, 0);
  if (after + limit > limits.reach) throw invalid(`Search cannot page past ${limits.reach} results`);
  const query = typeof body.query === 'string' ? body.query : '';
  if (query.length > limits.query) throw invalid(`query must not be longer than ${limits.query} characters`);
  return { groups, query, sort: readSort(type, body.sorts), properties: readNames(body.properties), limit, after };
}

function readGroups(type: ObjectType, value: unknown): Filter[][] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidJson('line 1, column 1: Cannot deserialize value of type `FilterGroup`');
  const groups = value.map((group: unknown) => {
    const filters = isObject(group) ? group.filters : undefined;
    if (!Array.isArray(filters)) throw invalidJson('line 1, column 1. Some required fields were not set: [filters]');
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
  if (!isObject(value) || typeof value.propertyName !== 'string') {
    throw invalidJson('line 1, column 1. Some required fields were not set: [propertyName]');
  }
  const { propertyName } = value;
  const linkedTo = linkedToBy(propertyName);
  if (!linkedTo) requireProperty(type, propertyName);
  const operator = (linkedTo ? linkOperators : operators).find((known) => known === value.operator);
  if (!operator) {
    throw invalidJson(
      `line 1, column 1: Cannot deserialize value of type \`Operator\` from String "${String(value.operator)}"`,
    );
  }
  const filter: Filter = {
    propertyName,
    operator,
    value: text(value.value),
    highValue: text(value.highValue),
    values: Array.isArray(value.values) ? value.values.map(String) : [],
    ...(linkedTo && { linkedTo }),
  };
  requireValues(filter, operator);
  return filter;
}

/** `associations.company` in the place of a property. Source: HubSpot's guide to search, "Search through associations". */
function linkedToBy(propertyName: string): ObjectType | undefined {
  const [, name] = /^associations\.(.+)$/.exec(propertyName) ?? [];
  return name === undefined ? undefined : findObjectType(name);
}

function requireValues(filter: Filter, operator: Operator): void {
  const missing = {
    value: !operator.endsWith('HAS_PROPERTY') && !operator.endsWith('IN') && filter.value.trim() === '',
    highValue: operator === 'BETWEEN' && filter.highValue.trim() === '',
    values: (operator === 'IN' || operator === 'NOT_IN') && filter.values.length === 0,
  };
  const name = Object.entries(missing).find(([, isMissing]) => isMissing)?.[0];
  if (name === undefined) return;
  throw invalidJson(
    `line 1, column 1: ${name} must be non-empty and non-blank, if specified {propertyName: '${filter.propertyName}'}`,
  );
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
  throw new HubspotError(400, {
    message: 'There was a problem with the request.',
    category: 'VALIDATION_ERROR',
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
