import { isObject, parseBody, type JsonObject } from '../crm/json-body';
import { alreadyExists, fieldMissing, invalid, invalidJson, type ErrorDetail, type HubspotError } from './errors';
import type { ObjectType, PropertyDefinition } from './object-type';
import type { PortalData } from './portal-data';

export type Values = Readonly<Record<string, string>>;

/** Reads the body as a JSON object. Lenient where HubSpot is: unknown members and duplicate keys pass. */
export function readJsonObject(bodyText: string): JsonObject {
  const body = parseBody(bodyText);
  if ('fault' in body) throw invalidJson(`line 1: ${body.fault}`);
  if (isObject(body.json)) return body.json;
  throw invalidJson('line 1, column 1: Cannot deserialize value of the request model');
}

/** `{properties}` of a create or update, every value in the form in which it is stored: emails lower-cased and trimmed. */
export function readProperties({ properties }: JsonObject): Record<string, string> {
  if (!isObject(properties)) throw fieldMissing('properties');
  const values = Object.entries(properties).map(([name, value]) => [name, valueToString(name, value)]);
  return normaliseEmail(Object.fromEntries(values) as Values);
}

export function normaliseEmail({ email, ...others }: Values): Record<string, string> {
  return email === undefined ? others : { ...others, email: email.trim().toLowerCase() };
}

/** HubSpot declares values as strings and takes numbers and booleans too; `null` and `''` both clear. */
function valueToString(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const found = Array.isArray(value)
    ? 'Array value (token `JsonToken.START_ARRAY`)'
    : 'Object value (token `JsonToken.START_OBJECT`)';
  throw invalidJson(
    `line 1, column 1: Cannot deserialize value of type \`java.lang.String\` from ${found} {propertyName: '${name}'}`,
  );
}

/** One entry of the JSON list that HubSpot puts inside the message of a refused write. */
interface PropertyProblem {
  readonly isValid: false;
  readonly message: string;
  readonly error: string;
  readonly name: string;
}

/** Recorded replies list every problem in the message but only the first three in `errors[]`. */
const ERRORS_SHOWN = 3;

/** The 400 that lists `problems` the way HubSpot does: as JSON text inside the message, and in part in `errors[]`. */
function propertiesInvalid(problems: readonly PropertyProblem[]): HubspotError {
  const errors: ErrorDetail[] = problems
    .slice(0, ERRORS_SHOWN)
    .map(({ message, error, name }) => ({ message, code: error, context: { propertyName: [name] } }));
  return invalid(`Property values were not valid: ${JSON.stringify(problems)}`, { errors });
}

function problem(name: string, error: string, message: string): PropertyProblem {
  return { isValid: false, message, error, name };
}

/** Refuses names that do not exist or cannot be written. One of them refuses a batch as a whole, whatever its mode. */
export function requireWritable({ properties }: ObjectType, inputs: readonly { readonly values: Values }[]): void {
  const problems = inputs
    .flatMap(({ values }) => Object.keys(values))
    .flatMap((name) => {
      const definition = properties.get(name);
      if (!definition) return [problem(name, 'PROPERTY_DOESNT_EXIST', `Property "${name}" does not exist`)];
      if (!definition.readOnly) return [];
      return [problem(name, 'READ_ONLY_VALUE', `"${name}" is a read only property; its value cannot be set.`)];
    });
  if (problems.length > 0) throw propertiesInvalid(problems);
}

/** Why one write must not happen, or undefined. Names are checked before. @param ownId of the record that is updated; absent for a new one */
export function checkValues(
  data: PortalData,
  type: ObjectType,
  values: Values,
  ownId?: string,
): HubspotError | undefined {
  const problems = [...missingProblems(type, values, ownId === undefined), ...valueProblems(type, values)];
  if (problems.length > 0) return propertiesInvalid(problems);
  const [conflict] = data.conflicts(type.name, values, ownId);
  if (!conflict) return undefined;
  const { field, existing } = conflict;
  if (field === 'email') return alreadyExists(existing.id);
  return propertiesInvalid([problem(field, 'CONFLICTING_UNIQUE_VALUE', `${existing.id} already has that value.`)]);
}

/** Required properties that a new record lacks, or that an update would clear. */
function missingProblems({ required }: ObjectType, values: Values, isNew: boolean): PropertyProblem[] {
  return required
    .filter((name) => (isNew ? !values[name] : values[name] === ''))
    .map((name) => problem(name, 'MISSING_REQUIRED_PROPERTY', `A value for ${name} must be provided`));
}

function valueProblems({ properties }: ObjectType, values: Values): PropertyProblem[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const definition = properties.get(name);
    const found = definition && value !== '' ? checkValue(definition, value) : undefined;
    return found ? [problem(name, ...found)] : [];
  });
}

type Fault = readonly [error: string, message: string];

/** Deliberately loose: HubSpot accepts whatever looks like one mailbox at a dotted domain. */
const emailShape = /^[^\s@<>(),;:"\\]+@[^\s@.]+(\.[^\s@.]+)+$/;

function checkValue({ name, type, options, multiple }: PropertyDefinition, value: string): Fault | undefined {
  if (name === 'email') {
    return emailShape.test(value.trim()) ? undefined : ['INVALID_EMAIL', `Email address ${value} is invalid`];
  }
  switch (type) {
    case 'number':
      return value.trim() !== '' && Number.isFinite(Number(value))
        ? undefined
        : ['INVALID_LONG', `${value} was not a valid long.`];
    case 'bool':
      return checkOptions([value], ['true', 'false']);
    case 'enumeration':
      return options && checkOptions(multiple ? value.split(';') : [value], options);
    case 'date':
    case 'datetime':
      return isMoment(value) ? undefined : ['INVALID_DATE', `${value} was not a valid date.`];
    default:
      return undefined;
  }
}

function checkOptions(parts: readonly string[], options: readonly string[]): Fault | undefined {
  const wrong = parts.find((part) => !options.includes(part));
  if (wrong === undefined) return undefined;
  return ['INVALID_OPTION', `${wrong} was not one of the allowed options: [${options.join(', ')}]`];
}

const dateShape = /^\d{4}-\d{2}-\d{2}$/;

function isMoment(value: string): boolean {
  return /^-?\d+$/.test(value) || dateShape.test(value) || !Number.isNaN(Date.parse(value));
}
