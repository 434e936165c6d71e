import { badRequest, malformedQuery, unsupportedType } from '../wire-reply';
import type { ObjectDefinition } from '../field-definition';
import { findObject } from '../object-definitions';
import type { Org } from '../org';
import { fieldGroup, type StoredRecord } from '../record-values';
import { comparableValue } from './comparable';
import { conditionTest } from './condition-test';
import { resolvePath, valueAt, type FieldPath } from './field-path';
import { parseQuery } from './parse-query';
import type { OrderItem, Query } from './query';
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
