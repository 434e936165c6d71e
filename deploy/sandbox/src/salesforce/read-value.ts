import type { Problem } from './wire-reply';
import type { FieldDefinition, FieldValue, ObjectDefinition } from './field-definition';
import { isDate, readMoment, wireMoment } from './moments';
import { findField } from './object-definitions';

/** A value in the form in which it is stored, or why its JSON does not fit the field. */
type ReadValue = { readonly value: FieldValue } | { readonly problem: Problem };

/** `""` is stored as null, everywhere but in a checkbox, which is never null. */
function readValue(field: FieldDefinition, json: unknown): ReadValue {
  if (field.type === 'boolean') return readBoolean(field, json);
  if (json === null || json === '') return { value: null };
  switch (field.type) {
    case 'int':
    case 'double':
    case 'currency':
    case 'percent':
      return readNumber(field, json);
    case 'date':
      return readDate(json);
    case 'datetime':
      return readDatetime(json);
    default:
      return readText(json);
  }
}

function readBoolean(field: FieldDefinition, json: unknown): ReadValue {
  if (json === true || json === 'true') return { value: true };
  if (json === false || json === 'false') return { value: false };
  if (json !== null && json !== '') return wrongKind('boolean', json);
  const message = `${field.label}: value not of required type: `;
  return { problem: { code: 'INVALID_TYPE_ON_FIELD_IN_RECORD', message, fields: [field.name] } };
}

function readNumber(field: FieldDefinition, json: unknown): ReadValue {
  const isNumeric = typeof json === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(json);
  const number = typeof json === 'number' || isNumeric ? Number(json) : Number.NaN;
  const fits = Number.isFinite(number) && (field.type !== 'int' || Number.isInteger(number));
  return fits ? { value: number } : wrongKind(field.type === 'int' ? 'int' : 'double', json);
}

/** A date field takes a moment too and keeps its day. */
function readDate(json: unknown): ReadValue {
  if (typeof json !== 'string') return wrongKind('date', json);
  if (isDate(json)) return { value: json };
  return readMoment(json) && isDate(json.slice(0, 10)) ? { value: json.slice(0, 10) } : wrongKind('date', json);
}

function readDatetime(json: unknown): ReadValue {
  const text = typeof json === 'string' ? json : '';
  const moment = isDate(text) ? new Date(`${text}T00:00:00Z`) : readMoment(text);
  return moment ? { value: wireMoment(moment) } : wrongKind('datetime', json);
}

function readText(json: unknown): ReadValue {
  if (typeof json === 'string') return { value: json };
  if (typeof json === 'number' || typeof json === 'boolean') return { value: String(json) };
  return wrongKind('string', json);
}

/** The words of Salesforce's JSON reader, without the place in the text, which differs from call to call. */
function wrongKind(wanted: string, json: unknown): ReadValue {
  const found = `${tokenOf(json)} value ${isScalar(json) ? String(json) : '{'}`;
  const message = `Cannot deserialize instance of ${wanted} from ${found} or request may be missing a required field`;
  return { problem: { code: 'JSON_PARSER_ERROR', message } };
}

const isScalar = (json: unknown): json is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof json);

function tokenOf(json: unknown): string {
  if (Array.isArray(json)) return 'START_ARRAY';
  switch (typeof json) {
    case 'string':
      return 'VALUE_STRING';
    case 'number':
      return Number.isInteger(json) ? 'VALUE_NUMBER_INT' : 'VALUE_NUMBER_FLOAT';
    case 'boolean':
      return json ? 'VALUE_TRUE' : 'VALUE_FALSE';
    default:
      return 'START_OBJECT';
  }
}

/** The fields of one write: their stored form under canonical names, or the first thing that is wrong with them. */
export type ReadFields =
  { readonly values: Readonly<Record<string, FieldValue>> } | { readonly problems: readonly [Problem, ...Problem[]] };

const ignored = new Set(['attributes']);

/**
 * Reads the fields of a create or update. In Salesforce's order: names that do not exist, values of the wrong kind,
 * fields that this user may not write.
 * @param skip names that stand in the record for another reason, in lower case: `id` in a collection
 */
export function readFields(
  object: ObjectDefinition,
  body: Readonly<Record<string, unknown>>,
  mode: 'create' | 'update',
  skip: ReadonlySet<string> = new Set(),
): ReadFields {
  const sent = Object.entries(body).filter(([name]) => !ignored.has(name) && !skip.has(name.toLowerCase()));
  const known: [FieldDefinition, unknown][] = [];
  for (const [name, json] of sent) {
    const field = findField(object, name);
    if (!field) return { problems: [unknownField(name, object)] };
    if (field.type === 'id') return { problems: [idInBody] };
    known.push([field, json]);
  }
  const values: Record<string, FieldValue> = {};
  for (const [field, json] of known) {
    const read = readValue(field, json);
    if ('problem' in read) return { problems: [read.problem] };
    values[field.name] = read.value;
  }
  const locked = known.filter(([field]) => !(mode === 'create' ? field.createable : field.updateable));
  return locked.length > 0 ? { problems: [notWritable(locked.map(([field]) => field.name))] } : { values };
}

const idInBody: Problem = {
  code: 'INVALID_FIELD',
  message: 'The Id field should not be specified in the sobject data.',
};

function unknownField(name: string, object: ObjectDefinition): Problem {
  return { code: 'INVALID_FIELD', message: `No such column '${name}' on sobject of type ${object.name}` };
}

function notWritable(fields: readonly string[]): Problem {
  const message =
    `Unable to create/update fields: ${fields.join(', ')}. Please check the security settings of this field ` +
    'and verify that it is read/write for your profile or permission set.';
  return { code: 'INVALID_FIELD_FOR_INSERT_UPDATE', message, fields };
}
