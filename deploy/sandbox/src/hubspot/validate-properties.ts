import { invalid, invalidJson, type ErrorDetail, type HubspotError } from './wire-reply';
import type { ObjectType } from './objects/object-type';
import type { PropertyDefinition } from './objects/property-definition';

type Values = Readonly<Record<string, string>>;

/** One entry of the JSON list that HubSpot puts inside the message of a refused write. */
export interface PropertyProblem {
  readonly isValid: false;
  readonly message: string;
  readonly error: string;
  readonly name: string;
}

/** Recorded replies list every problem in the message but only the first three in `errors[]`. */
const ERRORS_SHOWN = 3;

/** Deliberately loose: HubSpot accepts whatever looks like one mailbox at a dotted domain. */
const emailShape = /^[^\s@<>(),;:"\\]+@[^\s@.]+(\.[^\s@.]+)+$/;

const dateShape = /^\d{4}-\d{2}-\d{2}$/;

/** HubSpot declares values as strings and takes numbers and booleans too; `null` and `''` both clear. */
export function valueToString(name: string, value: unknown): string {
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

/** Problems of names rather than of values: they refuse a batch as a whole, whatever its mode. */
export function definitionProblems({ properties }: ObjectType, values: Values): PropertyProblem[] {
  return Object.keys(values).flatMap((name) => {
    const definition = properties.get(name);
    if (!definition) return [problem(name, 'PROPERTY_DOESNT_EXIST', `Property "${name}" does not exist`)];
    if (!definition.readOnly) return [];
    return [problem(name, 'READ_ONLY_VALUE', `"${name}" is a read only property; its value cannot be set.`)];
  });
}

/** Problems of values; names without a definition are skipped. */
export function valueProblems({ properties }: ObjectType, values: Values): PropertyProblem[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const definition = properties.get(name);
    const found = definition && value !== '' ? checkValue(definition, value) : undefined;
    return found ? [problem(name, found.error, found.message)] : [];
  });
}

/** Required properties that a new record lacks, or that an update would clear. */
export function missingProblems({ required }: ObjectType, values: Values, isNew: boolean): PropertyProblem[] {
  return required
    .filter((name) => (isNew ? !values[name] : values[name] === ''))
    .map((name) => problem(name, 'MISSING_REQUIRED_PROPERTY', `A value for ${name} must be provided`));
}

/** The 400 that lists `problems` the way HubSpot does: as JSON text inside the message, and in part in `errors[]`. */
export function propertiesInvalid(problems: readonly PropertyProblem[]): HubspotError {
  const errors: ErrorDetail[] = problems
    .slice(0, ERRORS_SHOWN)
    .map(({ message, error, name }) => ({ message, code: error, context: { propertyName: [name] } }));
  return invalid(`Property values were not valid: ${JSON.stringify(problems)}`, { errors });
}

/** The form in which a checked value is kept: emails lower-cased and trimmed, the rest as sent. */
export function normaliseValues(values: Values): Record<string, string> {
  const { email, ...others } = values;
  return email === undefined ? { ...others } : { ...others, email: email.trim().toLowerCase() };
}

function problem(name: string, error: string, message: string): PropertyProblem {
  return { isValid: false, message, error, name };
}

function checkValue(definition: PropertyDefinition, value: string): { error: string; message: string } | undefined {
  if (definition.name === 'email') {
    return emailShape.test(value.trim())
      ? undefined
      : { error: 'INVALID_EMAIL', message: `Email address ${value} is invalid` };
  }
  switch (definition.type) {
    case 'number':
      return value.trim() !== '' && Number.isFinite(Number(value))
        ? undefined
        : { error: 'INVALID_LONG', message: `${value} was not a valid long.` };
    case 'bool':
      return checkOption(value, ['true', 'false'], false);
    case 'enumeration':
      return definition.options ? checkOption(value, definition.options, definition.multiple === true) : undefined;
    case 'date':
    case 'datetime':
      return isMoment(value) ? undefined : { error: 'INVALID_DATE', message: `${value} was not a valid date.` };
    default:
      return undefined;
  }
}

function checkOption(value: string, options: readonly string[], multiple: boolean) {
  const wrong = (multiple ? value.split(';') : [value]).find((part) => !options.includes(part));
  if (wrong === undefined) return undefined;
  return { error: 'INVALID_OPTION', message: `${wrong} was not one of the allowed options: [${options.join(', ')}]` };
}

function isMoment(value: string): boolean {
  return /^-?\d+$/.test(value) || dateShape.test(value) || !Number.isNaN(Date.parse(value));
}
