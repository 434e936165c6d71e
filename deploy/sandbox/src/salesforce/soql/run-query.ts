import type { FieldValue, StoredRecord } from '../../crm/record-store';
import { badRequest, malformedQuery, noSuchColumn, SalesforceError, unsupportedType } from '../errors';
import { traitsOf, type FieldDefinition, type FieldType, type ObjectDefinition } from '../field-definition';
import { findField, findObject, objectNamed, visibleFields } from '../objects';
import type { OrgData } from '../org-data';
import { readMoment } from '../read-value';
import { toLongId } from '../record-ids';
import { parseQuery, type Comparison, type Literal, type Query } from './parse-query';

/** Source: docs/contributing/providers.md, B4. */
const FIELDS_LIMIT_MAX = 200;

/** What a query found: records, oldest first, and the fields to show of each; `count` shows none. */
interface Found {
  readonly records: readonly StoredRecord[];
  readonly columns: readonly FieldPath[] | 'count';
}

/** Runs a query on committed records. */
export function runQuery(data: OrgData, soql: string, which: 'live' | 'with-deleted' = 'live'): Found {
  const query = parseQuery(soql);
  const object = findObject(query.from);
  if (!object) throw new SalesforceError(400, unsupportedType(query.from));
  const columns = query.select === 'count' ? 'count' : columnsOf(object, query.select, query.limit);
  const tests = query.where.map((comparison) => comparisonTest(object, comparison));
  const records = data.all(object.name, which).filter((record) => tests.every((test) => test(data, record)));
  return { columns, records: records.slice(0, query.limit) };
}

/** The select list. A field that is in it twice is an error. */
function columnsOf(
  object: ObjectDefinition,
  select: Exclude<Query['select'], 'count'>,
  limit = Number.POSITIVE_INFINITY,
): FieldPath[] {
  if (select === 'all') {
    if (limit <= FIELDS_LIMIT_MAX) return visibleFields(object).map((field) => ({ through: [], field }));
    throw malformedQuery(`The SOQL FIELDS function must have a LIMIT of at most ${FIELDS_LIMIT_MAX}`);
  }
  const columns = select.map((name) => resolvePath(object, name));
  const names = columns.map(nameOf);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw malformedQuery(`duplicate field selected: ${repeated}`);
  return columns;
}

const nameOf = ({ through, field }: FieldPath): string =>
  [...through.map((step) => step.reference?.path ?? step.name), field.name].join('.');

/** A test of records, after every name and literal in the comparison was checked. Null meets `=` of null, nothing else. */
function comparisonTest(object: ObjectDefinition, { name, operator, literals }: Comparison) {
  const path = resolvePath(object, name);
  const { field } = path;
  if (!field.filterable) throw badRequest('INVALID_FIELD', `field '${field.name}' can not be filtered in a query call`);
  if (operator.startsWith('>')) requireOrder(field);
  const wanted = literals.map((literal) => comparableLiteral(field, literal));
  const [first = null] = wanted;
  return (data: OrgData, record: StoredRecord): boolean => {
    const actual = comparableValue(field.type, valueAt(data, record, path));
    if (operator === '=' || operator === 'IN') return wanted.includes(actual);
    if (actual === null || first === null) return false;
    return actual > first || (operator === '>=' && actual === first);
  };
}

/** A field, directly or through references: `Name`, `Account.Name`, `Contact.Account.Owner.Email`. */
export interface FieldPath {
  readonly through: readonly FieldDefinition[];
  readonly field: FieldDefinition;
}

/** Paths may cross five objects, as in Salesforce. */
const STEPS_MAX = 5;

/** Finds the field that a name means. @throws SalesforceError INVALID_FIELD */
function resolvePath(object: ObjectDefinition, name: string): FieldPath {
  const parts = name.split('.');
  const start = parts.length > 1 && isOwnName(object, parts[0] ?? '') ? parts.slice(1) : parts;
  const through: FieldDefinition[] = [];
  let current = object;
  for (const part of start.slice(0, -1)) {
    const step = visibleFields(current).find((field) => field.reference?.path.toLowerCase() === part.toLowerCase());
    if (!step?.reference || through.length === STEPS_MAX) throw noRelationship(current, part);
    through.push(step);
    current = objectNamed(step.reference.to);
  }
  const field = findField(current, start.at(-1) ?? '');
  if (field) return { through, field };
  throw new SalesforceError(400, noSuchColumn(start.at(-1) ?? '', current.name));
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

function noRelationship(object: ObjectDefinition, text: string) {
  const message =
    `Didn't understand relationship '${text}' in field path. If you are attempting to use a custom relationship, ` +
    "be sure to append the '__r' after the custom relationship name. " +
    `Please reference your WSDL or the describe call for the appropriate names. (${object.name})`;
  return badRequest('INVALID_FIELD', message);
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
function comparableLiteral(field: FieldDefinition, literal: Literal): FieldValue {
  if (literal.kind === 'null') return null;
  if (literal.kind !== traitsOf(field.type).literal) throw wrongLiteral(field);
  if (literal.kind === 'number') return Number(literal.value);
  if (literal.kind === 'string' && isIdType(field.type)) return idLiteral(literal.value);
  return comparableValue(field.type, literal.value);
}

/** Refuses an order of values that have none. */
function requireOrder({ type }: FieldDefinition): void {
  if (type !== 'boolean' && !isIdType(type)) return;
  throw badRequest('INVALID_QUERY_FILTER_OPERATOR', `invalid operator on ${isIdType(type) ? 'id' : type} field`);
}

function idLiteral(value: string): string | null {
  if (value === '') return null;
  const long = toLongId(value);
  if (long !== undefined) return long;
  throw badRequest('INVALID_QUERY_FILTER_OPERATOR', `invalid ID field: ${value}`);
}

function wrongLiteral({ name, type }: FieldDefinition) {
  const { literal } = traitsOf(type);
  const wanted = { number: type, datetime: 'dateTime', string: 'string', boolean: 'boolean', date: 'date' }[literal];
  const quotes = literal === 'string' ? 'should be enclosed in quotes' : 'should not be enclosed in quotes';
  return badRequest(
    'INVALID_FIELD',
    `value of filter criterion for field '${name}' must be of type ${wanted} and ${quotes}`,
  );
}
