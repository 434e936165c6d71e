import type { FieldDefinition, FieldType, FieldValue } from '../field-definition';
import { readMoment } from '../moments';
import { toLongId } from '../record-ids';
import type { Literal, Name, Operator } from './query';
import { queryError } from './query-error';

type Comparable = string | number | boolean | null;

/** Which literals a type takes besides null, and the word for it in a refusal. */
const literalOf: Readonly<Record<FieldType, Literal['kind']>> = {
  id: 'string',
  reference: 'string',
  string: 'string',
  email: 'string',
  phone: 'string',
  url: 'string',
  textarea: 'string',
  picklist: 'string',
  multipicklist: 'string',
  boolean: 'boolean',
  int: 'number',
  double: 'number',
  currency: 'number',
  percent: 'number',
  date: 'date',
  datetime: 'datetime',
};

const isIdType = (type: FieldType): boolean => type === 'id' || type === 'reference';

/** The form in which values of a type compare: text without case, moments and numbers by size. */
export function comparableValue(type: FieldType, value: FieldValue): Comparable {
  if (typeof value !== 'string') return value;
  if (type === 'datetime') return readMoment(value)?.getTime() ?? null;
  if (isIdType(type) || type === 'date') return value;
  return value === '' ? null : value.toLowerCase();
}

/** The comparable form of a literal. @throws SalesforceError when it does not fit the field */
export function comparableLiteral(soql: string, field: FieldDefinition, literal: Literal): Comparable {
  if (literal.kind === 'null') return null;
  const wanted = literalOf[field.type];
  if (literal.kind !== wanted) throw wrongLiteral(soql, field, literal);
  if (literal.kind === 'number') return Number(literal.value);
  if (literal.kind === 'string' && isIdType(field.type)) return idLiteral(soql, literal.value, literal.at);
  return comparableValue(field.type, literal.value);
}

/** Refuses operators that make no sense for a type. */
export function requireOperator(soql: string, { type }: FieldDefinition, operator: Operator, name: Name): void {
  const isText = literalOf[type] === 'string' && !isIdType(type);
  const isOrdered = type !== 'boolean' && !isIdType(type);
  const fits = operator === 'LIKE' ? isText : isOrdered || ['=', '!=', 'IN', 'NOT IN'].includes(operator);
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
  const wanted = literalOf[field.type];
  const type = wanted === 'number' ? field.type : wanted;
  const quotes = wanted === 'string' ? 'should be enclosed in quotes' : 'should not be enclosed in quotes';
  const message = `value of filter criterion for field '${field.name}' must be of type ${wordFor(type)} and ${quotes}`;
  return queryError(soql, at, { code: 'INVALID_FIELD', message });
}

const wordFor = (type: string): string => (type === 'datetime' ? 'dateTime' : type);
