import type { CrmRecord } from './crm-record';
import type { ObjectType } from './objects/object-type';
import type { ValueType } from './objects/property-definition';
import { propertyValue } from './present-record';

/** One condition of a search, already checked by `search-request.ts`. */
export interface Filter {
  readonly propertyName: string;
  readonly operator: Operator;
  readonly value: string;
  readonly highValue: string;
  readonly values: readonly string[];
  /** Set for the pseudo-property `associations.{object}`, whose values are the ids of the linked records of this object. */
  readonly linkedTo?: ObjectType;
}

export const operators = [
  'EQ',
  'NEQ',
  'LT',
  'LTE',
  'GT',
  'GTE',
  'BETWEEN',
  'IN',
  'NOT_IN',
  'HAS_PROPERTY',
  'NOT_HAS_PROPERTY',
  'CONTAINS_TOKEN',
  'NOT_CONTAINS_TOKEN',
] as const;

export type Operator = (typeof operators)[number];

/**
 * Whether a record meets a condition. An unset property meets only the negative operators.
 * Strings compare without case, except in IN and NOT_IN, whose values must be lower-case (HubSpot guide, A5).
 */
export function matches(objectType: ObjectType, record: CrmRecord, filter: Filter): boolean {
  const actual = propertyValue(objectType, record, filter.propertyName);
  const type = objectType.properties.get(filter.propertyName)?.type ?? 'string';
  switch (filter.operator) {
    case 'HAS_PROPERTY':
      return actual !== undefined;
    case 'NOT_HAS_PROPERTY':
      return actual === undefined;
    case 'NEQ':
      return !meets(actual, { ...filter, operator: 'EQ' }, type);
    case 'NOT_IN':
      return !meets(actual, { ...filter, operator: 'IN' }, type);
    case 'NOT_CONTAINS_TOKEN':
      return !meets(actual, { ...filter, operator: 'CONTAINS_TOKEN' }, type);
    default:
      return meets(actual, filter, type);
  }
}

/** Operators of the pseudo-property `associations.{object}`; that the others are refused is assumed. */
export const linkOperators: readonly Operator[] = ['EQ', 'NEQ', 'IN', 'NOT_IN', 'HAS_PROPERTY', 'NOT_HAS_PROPERTY'];

/** Whether a record that is linked to these meets a condition on its links. */
export function matchesLinks(linkedIds: readonly string[], { operator, value, values }: Filter): boolean {
  const isAny = operator.endsWith('HAS_PROPERTY');
  const wanted = operator.endsWith('IN') ? values : [value];
  const isMet = isAny ? linkedIds.length > 0 : wanted.some((id) => linkedIds.includes(id));
  return isMet !== operator.startsWith('N');
}

/** Orders two values of one type: numbers and moments by size, anything else as lower-case text. */
export function compareValues(a: string, b: string, type: ValueType): number {
  const [left, right] = [comparable(a, type), comparable(b, type)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function meets(actual: string | undefined, filter: Filter, type: ValueType): boolean {
  if (actual === undefined) return false;
  const order = compareValues(actual, filter.value, type);
  switch (filter.operator) {
    case 'EQ':
      return order === 0;
    case 'LT':
      return order < 0;
    case 'LTE':
      return order <= 0;
    case 'GT':
      return order > 0;
    case 'GTE':
      return order >= 0;
    case 'BETWEEN':
      return order >= 0 && compareValues(actual, filter.highValue, type) <= 0;
    case 'IN':
      return filter.values.includes(type === 'string' ? actual.toLowerCase() : actual);
    default:
      return containsToken(actual, filter.value);
  }
}

function comparable(value: string, type: ValueType): string | number {
  if (type === 'number') return Number(value);
  if (type === 'date' || type === 'datetime') return /^-?\d+$/.test(value) ? Number(value) : Date.parse(value);
  return value.toLowerCase();
}

/** A token is a run of letters and digits; `*` stands for any number of characters inside one. */
function containsToken(actual: string, wanted: string): boolean {
  const tokens = actual.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const parts = wanted
    .toLowerCase()
    .split(/[^\p{L}\p{N}*]+/u)
    .filter(Boolean);
  return parts.every((part) => {
    const shape = new RegExp(`^${part.replaceAll('*', '.*')}$`, 'u');
    return tokens.some((token) => shape.test(token));
  });
}
