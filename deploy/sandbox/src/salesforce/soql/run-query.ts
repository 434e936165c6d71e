import type { FieldValue, StoredRecord } from '../../crm/record-store';
import { badRequest, malformedQuery, noSuchColumn, unsupportedType } from '../errors';
import { traitsOf, type FieldDefinition, type FieldType, type ObjectDefinition } from '../field-definition';
import { fieldGroup, findField, findObject, objectNamed, visibleFields } from '../objects';
import type { OrgData } from '../org-data';
import { readMoment } from '../read-value';
import { toLongId } from '../record-ids';
import {
  parseQuery,
  type Condition,
  type Literal,
  type Name,
  type Operator,
  type OrderItem,
  type Query,
} from './parse-query';
import { queryError } from './tokens';

/** Source: docs/contributing/providers.md, B4; the offset from the SOQL reference. */
const FIELDS_LIMIT_MAX = 200;
const OFFSET_MAX = 2000;

/** What a query found: records in order, and the fields to show of each; `count` shows none. */
interface Found {
  readonly records: readonly StoredRecord[];
  readonly columns: readonly FieldPath[] | 'count';
}

/** Runs a query on committed records. */
export function runQuery(data: OrgData, soql: string): Found {
  const query = parseQuery(soql);
  const object = findObject(query.from.text);
  if (!object) throw queryError(soql, query.from.at, unsupportedType(query.from.text));
  if (query.offset > OFFSET_MAX)
    throw badRequest('NUMBER_OUTSIDE_VALID_RANGE', `Maximum SOQL offset allowed is ${OFFSET_MAX}`);
  const columns = query.select === 'count' ? 'count' : columnsOf(soql, object, query);
  const order = query.orderBy.map((item) => ({ ...item, path: sortPath(soql, object, item) }));
  const test = query.where ? conditionTest(soql, object, query.where) : () => true;
  const records = data
    .all(object.name)
    .filter((record) => test(data, record))
    .toSorted((a, b) => compareBy(data, order, a, b));
  return { columns, records: records.slice(query.offset, query.offset + (query.limit ?? records.length)) };
}

/** The select list, groups expanded. A field that is in it twice is an error. */
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
  data: OrgData,
  order: readonly (OrderItem & { path: FieldPath })[],
  a: StoredRecord,
  b: StoredRecord,
): number {
  for (const { path, descending, nullsFirst } of order) {
    const [left, right] = [a, b].map((record) => comparableValue(path.field.type, valueAt(data, record, path)));
    if (left === right || left === undefined || right === undefined) continue;
    if (left === null) return nullsFirst ? -1 : 1;
    if (right === null) return nullsFirst ? 1 : -1;
    return left < right === descending ? 1 : -1;
  }
  return 0;
}

type Test = (data: OrgData, record: StoredRecord) => boolean;
type Comparison = Extract<Condition, { readonly kind: 'compare' }>;

/** Turns a condition into a test of records, after every name and literal in it was checked. */
function conditionTest(soql: string, object: ObjectDefinition, condition: Condition): Test {
  if (condition.kind === 'compare') return comparisonTest(soql, object, condition);
  if (condition.kind === 'not') {
    const inside = conditionTest(soql, object, condition.part);
    return (data, record) => !inside(data, record);
  }
  const parts = condition.parts.map((part) => conditionTest(soql, object, part));
  return condition.kind === 'and'
    ? (data, record) => parts.every((part) => part(data, record))
    : (data, record) => parts.some((part) => part(data, record));
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
  return (data, record) => {
    const stored = valueAt(data, record, path);
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

/** A field, directly or through references: `Name`, `Account.Name`, `Contact.Account.Owner.Email`. */
export interface FieldPath {
  readonly through: readonly FieldDefinition[];
  readonly field: FieldDefinition;
}

/** Paths may cross five objects, as in Salesforce. */
const STEPS_MAX = 5;

/** Finds the field that a name means. @throws SalesforceError INVALID_FIELD */
function resolvePath(soql: string, object: ObjectDefinition, name: Name): FieldPath {
  const parts = name.text.split('.');
  const start = parts.length > 1 && isOwnName(object, parts[0] ?? '') ? parts.slice(1) : parts;
  const through: FieldDefinition[] = [];
  let current = object;
  for (const part of start.slice(0, -1)) {
    const step = visibleFields(current).find((field) => field.reference?.path.toLowerCase() === part.toLowerCase());
    if (!step?.reference || through.length === STEPS_MAX) throw noRelationship(soql, current, { ...name, text: part });
    through.push(step);
    current = objectNamed(step.reference.to);
  }
  const field = findField(current, start.at(-1) ?? '');
  if (field) return { through, field };
  throw queryError(soql, name.at, noSuchColumn(start.at(-1) ?? '', current.name));
}

/** The record at the end of references; undefined when one of them is empty or its target is gone. */
export function recordAt(
  data: OrgData,
  record: StoredRecord,
  through: readonly FieldDefinition[],
): StoredRecord | undefined {
  return through.reduce<StoredRecord | undefined>((current, step) => {
    const id = current ? data.fieldValue(current, step) : null;
    const target = typeof id === 'string' ? data.find(id) : undefined;
    return target?.isDeleted ? undefined : target;
  }, record);
}

/** The value at the end of a path; null when the path breaks off. */
function valueAt(data: OrgData, record: StoredRecord, path: FieldPath): FieldValue {
  const end = recordAt(data, record, path.through);
  return end ? data.fieldValue(end, path.field) : null;
}

/** `SELECT Contact.Name FROM Contact` is the same as `SELECT Name FROM Contact`, unless a relationship has that name. */
function isOwnName(object: ObjectDefinition, part: string): boolean {
  const isPath = object.fields.some((field) => field.reference?.path.toLowerCase() === part.toLowerCase());
  return !isPath && part.toLowerCase() === object.name.toLowerCase();
}

function noRelationship(soql: string, object: ObjectDefinition, { text, at }: Name) {
  const message =
    `Didn't understand relationship '${text}' in field path. If you are attempting to use a custom relationship, ` +
    "be sure to append the '__r' after the custom relationship name. " +
    `Please reference your WSDL or the describe call for the appropriate names. (${object.name})`;
  return queryError(soql, at, { code: 'INVALID_FIELD', message });
}

const isIdType = (type: FieldType): boolean => type === 'id' || type === 'reference';

/** The form in which values of a type compare: text without case, moments and numbers by size. */
function comparableValue(type: FieldType, value: FieldValue): FieldValue {
  if (typeof value !== 'string') return value;
  if (type === 'datetime') return readMoment(value)?.getTime() ?? null;
  if (isIdType(type) || type === 'date') return value;
  return value === '' ? null : value.toLowerCase();
}

/** The comparable form of a literal. @throws SalesforceError when it does not fit the field */
function comparableLiteral(soql: string, field: FieldDefinition, literal: Literal): FieldValue {
  if (literal.kind === 'null') return null;
  const wanted = traitsOf(field.type).literal;
  if (literal.kind !== wanted) throw wrongLiteral(soql, field, literal);
  if (literal.kind === 'number') return Number(literal.value);
  if (literal.kind === 'string' && isIdType(field.type)) return idLiteral(soql, literal.value, literal.at);
  return comparableValue(field.type, literal.value);
}

/** Refuses operators that make no sense for a type. */
function requireOperator(soql: string, { type }: FieldDefinition, operator: Operator, name: Name): void {
  const isText = traitsOf(type).literal === 'string' && !isIdType(type);
  const hasOrder = type !== 'boolean' && !isIdType(type);
  const fits = operator === 'LIKE' ? isText : hasOrder || ['=', '!=', 'IN', 'NOT IN'].includes(operator);
  if (fits) return;
  const message = `invalid operator on ${isIdType(type) ? 'id' : type} field`;
  throw queryError(soql, name.at, { code: 'INVALID_QUERY_FILTER_OPERATOR', message });
}

function idLiteral(soql: string, value: string, at: number): string | null {
  if (value === '') return null;
  const long = toLongId(value);
  if (long !== undefined) return long;
  throw queryError(soql, at, { code: 'INVALID_QUERY_FILTER_OPERATOR', message: `invalid ID field: ${value}` });
}

function wrongLiteral(soql: string, field: FieldDefinition, { at }: Literal) {
  const wanted = traitsOf(field.type).literal;
  const type = wanted === 'number' ? field.type : wanted;
  const quotes = wanted === 'string' ? 'should be enclosed in quotes' : 'should not be enclosed in quotes';
  const message = `value of filter criterion for field '${field.name}' must be of type ${wordFor(type)} and ${quotes}`;
  return queryError(soql, at, { code: 'INVALID_FIELD', message });
}

const wordFor = (type: string): string => (type === 'datetime' ? 'dateTime' : type);
