import type { Fields, FieldValue } from '../crm/record-store';
import type { JsonObject } from '../crm/json-body';
import type { Problem, Problems } from './errors';
import { traitsOf, type FieldDefinition, type ObjectDefinition } from './field-definition';
import { findField, isAuditField } from './objects';

/** A value in the form in which it is stored, or why its JSON does not fit the field. */
type ReadValue = { readonly value: FieldValue } | { readonly problem: Problem };

/** `""` is stored as null, everywhere but in a checkbox, which is never null. */
function readValue(field: FieldDefinition, json: unknown): ReadValue {
  if (field.type === 'boolean') return readBoolean(field, json);
  if (json === null || json === '') return { value: null };
  switch (traitsOf(field.type).literal) {
    case 'number':
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
  if (json !== null && json !== '') return wrongType('boolean', json);
  const message = `${field.label}: value not of required type: `;
  return { problem: { code: 'INVALID_TYPE_ON_FIELD_IN_RECORD', message, fields: [field.name] } };
}

function readNumber(field: FieldDefinition, json: unknown): ReadValue {
  const isNumeric = typeof json === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(json);
  const number = typeof json === 'number' || isNumeric ? Number(json) : Number.NaN;
  const fits = Number.isFinite(number) && (field.type !== 'int' || Number.isInteger(number));
  return fits ? { value: number } : wrongType(field.type === 'int' ? 'int' : 'double', json);
}

/** A date field takes a moment too and stores its day. */
function readDate(json: unknown): ReadValue {
  if (typeof json !== 'string') return wrongType('date', json);
  if (isDate(json)) return { value: json };
  return readMoment(json) && isDate(json.slice(0, 10)) ? { value: json.slice(0, 10) } : wrongType('date', json);
}

function readDatetime(json: unknown): ReadValue {
  const text = typeof json === 'string' ? json : '';
  const moment = isDate(text) ? new Date(`${text}T00:00:00Z`) : readMoment(text);
  return moment ? { value: wireMoment(moment) } : wrongType('datetime', json);
}

function readText(json: unknown): ReadValue {
  if (typeof json === 'string') return { value: json };
  if (typeof json === 'number' || typeof json === 'boolean') return { value: String(json) };
  return wrongType('string', json);
}

/** The message of Salesforce's JSON reader, without the position in the text, which differs from call to call. */
function wrongType(wanted: string, json: unknown): ReadValue {
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

/** The fields of one write: their stored form under canonical names, or the first problem with them. */
export type ReadFields = { readonly values: Fields } | { readonly problems: Problems };

const ignored = new Set(['attributes']);

/**
 * Reads the fields of a create or update. In Salesforce's order: names that do not exist, values of the wrong type,
 * fields that this user may not write.
 * @param skip names that are in the record for another reason, in lower case: `id` in a collection
 * @param auditFields the user may set them on a create
 */
export function readFields(
  object: ObjectDefinition,
  body: JsonObject,
  mode: 'create' | 'update',
  { skip = new Set<string>(), auditFields = false }: { skip?: ReadonlySet<string>; auditFields?: boolean } = {},
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
  const isOpen = (field: FieldDefinition) =>
    mode === 'create' ? field.createable || (auditFields && isAuditField(field.name)) : field.updateable;
  const locked = known.filter(([field]) => !isOpen(field));
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

const dateShape = /^(\d{4})-(\d{2})-(\d{2})$/;
const datetimeShape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** A moment as replies write it: `2026-01-01T00:00:00.000+0000`. */
export const wireMoment = (at: Date): string => at.toISOString().replace('Z', '+0000');

/** A day that exists, `YYYY-MM-DD`. */
function isDate(text: string): boolean {
  const [, year, month, day] = dateShape.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** A moment in one of the ISO forms that Salesforce reads: with a zone, with or without seconds and their fractions. */
export function readMoment(text: string): Date | undefined {
  if (!datetimeShape.test(text)) return undefined;
  // JavaScript wants the colon in a zone that Salesforce itself writes without.
  const moment = new Date(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}
