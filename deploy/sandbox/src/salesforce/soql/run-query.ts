import { badRequest, malformedQuery, unsupportedType } from '../wire-reply';
import type { ObjectDefinition } from '../field-definition';
import { findObject } from '../object-definitions';
import type { Org } from '../org';
import { fieldGroup, type StoredRecord } from '../record-values';
import { comparableValue, comparableLiteral, requireOperator } from './comparable';
import { resolvePath, valueAt, type FieldPath } from './field-path';
import { parseQuery } from './parse-query';
import type { OrderItem, Query, Condition } from './query';
import { queryError } from './query-error';

/** Source: docs/contributing/providers.md, B4; the offset from the SOQL reference. */
const FIELDS_LIMIT_MAX = 200;
const OFFSET_MAX = 2000;

/** What a query found: records in order, and the fields to show of each; `count` shows none. */
export interface Found {
  readonly records: readonly StoredRecord[];
  readonly columns: readonly FieldPath[] | 'count';
}

/** Runs a query on committed records. @param withDeleted as `queryAll` does */
export function runQuery(org: Org, soql: string, withDeleted: boolean): Found {
  const query = parseQuery(soql);
  const object = findObject(query.from.text);
  if (!object) throw queryError(soql, query.from.at, unsupportedType(query.from.text));
  if (query.offset > OFFSET_MAX)
    throw badRequest('NUMBER_OUTSIDE_VALID_RANGE', `Maximum SOQL offset allowed is ${OFFSET_MAX}`);
  const columns = query.select === 'count' ? 'count' : columnsOf(soql, object, query);
  const order = query.orderBy.map((item) => ({ ...item, path: sortPath(soql, object, item) }));
  const test = query.where ? conditionTest(soql, object, query.where) : () => true;
  const records = org.store
    .all(object.name)
    .filter((record) => (withDeleted || !record.isDeleted) && test(org, record))
    .toSorted((a, b) => compareBy(org, order, a, b));
  return { columns, records: records.slice(query.offset, query.offset + (query.limit ?? records.length)) };
}

/** The select list, groups spread out. A field that stands twice in it is an error. */
function columnsOf(soql: string, object: ObjectDefinition, query: Query): FieldPath[] {
  const items = query.select === 'count' ? [] : query.select;
  const isUnbounded = items.some((item) => item.kind === 'group' && item.group !== 'STANDARD');
  if (isUnbounded && (query.limit === undefined || query.limit > FIELDS_LIMIT_MAX)) {
    throw malformedQuery(`The SOQL FIELDS function must have a LIMIT of at most ${FIELDS_LIMIT_MAX}`);
  }
  const columns = items.flatMap((item): FieldPath[] =>
    item.kind === 'field'
      ? [resolvePath(soql, object, item.name)]
      : fieldGroup(object, item.group).map((field) => ({ through: [], field })),
  );
  const names = columns.map(nameOf);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw malformedQuery(`duplicate field selected: ${repeated}`);
  return columns;
}

const nameOf = ({ through, field }: FieldPath): string =>
  [...through.map((step) => step.reference?.path ?? step.name), field.name].join('.');

function sortPath(soql: string, object: ObjectDefinition, { name }: OrderItem): FieldPath {
  const path = resolvePath(soql, object, name);
  if (path.field.filterable) return path;
  const message = `field '${path.field.name}' can not be sorted in a query call`;
  throw queryError(soql, name.at, { code: 'INVALID_FIELD', message });
}

function compareBy(
  org: Org,
  order: readonly (OrderItem & { path: FieldPath })[],
  a: StoredRecord,
  b: StoredRecord,
): number {
  for (const { path, descending, nullsFirst } of order) {
    const [left, right] = [a, b].map((record) => comparableValue(path.field.type, valueAt(org, record, path)));
    if (left === right || left === undefined || right === undefined) continue;
    if (left === null) return nullsFirst ? -1 : 1;
    if (right === null) return nullsFirst ? 1 : -1;
    return left < right === descending ? 1 : -1;
  }
  return 0;
}

type Test = (org: Org, record: StoredRecord) => boolean;
type Comparison = Extract<Condition, { readonly kind: 'compare' }>;

/** Turns a condition into a test of records, after every name and literal in it was checked. */
function conditionTest(soql: string, object: ObjectDefinition, condition: Condition): Test {
  if (condition.kind === 'compare') return comparisonTest(soql, object, condition);
  if (condition.kind === 'not') {
    const inside = conditionTest(soql, object, condition.part);
    return (org, record) => !inside(org, record);
  }
  const parts = condition.parts.map((part) => conditionTest(soql, object, part));
  return condition.kind === 'and'
    ? (org, record) => parts.every((part) => part(org, record))
    : (org, record) => parts.some((part) => part(org, record));
}

/** Null meets `=` and `!=` of null and every negative comparison, nothing else. */
function comparisonTest(soql: string, object: ObjectDefinition, comparison: Comparison): Test {
  const { name, operator, literals } = comparison;
  const path = resolvePath(soql, object, name);
  const { field } = path;
  if (!field.filterable) {
    const message = `field '${field.name}' can not be filtered in a query call`;
    throw queryError(soql, name.at, { code: 'INVALID_FIELD', message });
  }
  requireOperator(soql, field, operator, name);
  const wanted = literals.map((literal) => comparableLiteral(soql, field, literal));
  const [first = null] = wanted;
  const [literal] = literals;
  const pattern = literal?.kind === 'string' ? literal.pattern : undefined;
  return (org, record) => {
    const stored = valueAt(org, record, path);
    const actual = comparableValue(field.type, stored);
    switch (operator) {
      case '=':
      case 'IN':
        return wanted.includes(actual);
      case '!=':
      case 'NOT IN':
        return !wanted.includes(actual);
      case 'LIKE':
        return typeof stored === 'string' && pattern?.test(stored) === true;
      default:
        return actual !== null && first !== null && isOrdered(operator, actual, first);
    }
  };
}

function isOrdered(
  operator: '<' | '<=' | '>' | '>=',
  a: string | number | boolean,
  b: string | number | boolean,
): boolean {
  if (a === b) return operator.endsWith('=');
  return operator.startsWith('<') ? a < b : a > b;
}
