import { broken, parsed, type Parsed } from './config-error';
import type { EnvField, ListField, NumberField, StringField, UrlField } from './env-field';
import { parseFailpoints } from './failpoints';
import { parseKeyring } from './keyring';
import { networksOf } from './networks';

/**
 * The value of a field that is present. Surrounding white space is dropped (a secret read from a file ends in a newline).
 * An empty text is an error, never the default: except for a list, whose empty text is the empty list unless it is required.
 */
export function parseField(field: EnvField, raw: string): Parsed<unknown> {
  const text = raw.trim();
  if (text !== '') return typeOf(field).parse(field, text);
  const mayBeEmpty = field.type === 'list' && !isRequired(field);
  return mayBeEmpty ? parsed(Object.freeze([])) : broken(`is empty, but must be ${ruleOf(field)}`);
}

/** Whether the service cannot start without a value. */
export function isRequired(field: EnvField): boolean {
  return defaultOf(field) === undefined && !('optional' in field && field.optional);
}

/** The default, or undefined for fields that have none. */
export function defaultOf(field: EnvField): string | number | boolean | readonly string[] | undefined {
  return 'default' in field ? field.default : undefined;
}

/** What a value must be, as a noun phrase. */
export function ruleOf(field: EnvField): string {
  return typeOf(field).rule(field);
}

interface FieldType<F extends EnvField> {
  /** What a value must be, as a noun phrase. */
  readonly rule: (field: F) => string;
  /** @param text without surrounding white space, not empty */
  readonly parse: (field: F, text: string) => Parsed<unknown>;
}

/** Every type of field: what its values are, and how they are read. */
const fieldTypes: { readonly [F in EnvField as F['type']]: FieldType<F> } = {
  string: {
    rule: ({ pattern }) => (pattern === undefined ? 'a text' : `a text that matches ${pattern}`),
    parse: parseString,
  },
  url: { rule: (field) => `a URL of ${urlProtocols(field).join(' or ')}`, parse: parseUrl },
  integer: { rule: numberRule, parse: parseNumber },
  number: { rule: numberRule, parse: parseNumber },
  boolean: { rule: () => 'on or off', parse: (_, text) => parseBoolean(text) },
  list: { rule: () => 'a comma separated list', parse: parseList },
  keyring: {
    rule: () => 'id:base64-of-32-bytes, several separated by commas, the current one first',
    parse: (_, text) => parseKeyring(text),
  },
  failpoint: {
    rule: () => 'name:action:probability, several separated by commas',
    parse: (_, text) => {
      const points = parseFailpoints(text);
      return points.ok ? parsed(text) : points;
    },
  },
};

/** The row of the field's own type, which the compiler cannot see. */
function typeOf<F extends EnvField>({ type }: F): FieldType<F> {
  const types: Readonly<Record<string, unknown>> = fieldTypes;
  return types[type] as FieldType<F>;
}

function matchesWhole(pattern: string | undefined, text: string): boolean {
  return pattern === undefined || new RegExp(`^(?:${pattern})$`).test(text);
}

function parseString({ pattern }: StringField, text: string): Parsed<string> {
  return matchesWhole(pattern, text) ? parsed(text) : broken(`must match ${pattern}`);
}

function parseList({ pattern, hasNetworks }: ListField, text: string): Parsed<readonly string[]> {
  const items = text.split(',').map((item) => item.trim());
  if (items.includes('')) return broken('must be a comma separated list without empty items');
  const wrong = items.findIndex((item) => !matchesWhole(pattern, item));
  if (wrong >= 0) return broken(`must be a comma separated list; item ${wrong + 1} does not match ${pattern}`);
  try {
    if (hasNetworks) networksOf(items);
  } catch (error) {
    return broken(`must be a comma separated list of networks: ${(error as Error).message}`);
  }
  return parsed(Object.freeze(items));
}

function parseBoolean(text: string): Parsed<boolean> {
  const lower = text.toLowerCase();
  if (['on', 'true', '1'].includes(lower)) return parsed(true);
  return ['off', 'false', '0'].includes(lower) ? parsed(false) : broken('must be on or off');
}

function parseUrl(field: UrlField, text: string): Parsed<string> {
  const protocols = urlProtocols(field);
  const url = URL.parse(text);
  if (!url || !protocols.includes(url.protocol.slice(0, -1)))
    return broken(`must be a URL of ${protocols.join(' or ')}`);
  return parsed(url.protocol.startsWith('http') ? text.replace(/\/+$/, '') : text);
}

function urlProtocols(field: UrlField): readonly string[] {
  return field.protocols ?? ['http', 'https'];
}

const numberForms = { integer: /^-?\d+$/, number: /^-?\d+(\.\d+)?$/ };

/** Stricter than `Number()`: no hexadecimal, exponent, sign `+` or separators, which are rarely meant. */
function parseNumber(field: NumberField, text: string): Parsed<number> {
  const value = Number(text);
  const isExact = field.type === 'number' || Number.isSafeInteger(value);
  const { min = -Infinity, max = Infinity } = field;
  const isValid = numberForms[field.type].test(text) && isExact && value >= min && value <= max;
  return isValid ? parsed(value) : broken(`must be ${numberRule(field)}`);
}

/** `an integer from 1 to 1024`. */
function numberRule({ type, min, max }: NumberField): string {
  const noun = type === 'integer' ? 'an integer' : 'a number';
  if (min !== undefined && max !== undefined) return `${noun} from ${min} to ${max}`;
  if (min !== undefined) return `${noun} of at least ${min}`;
  return max === undefined ? noun : `${noun} of at most ${max}`;
}

/** The key of a setting in the typed values: camelCase, without the prefix `SLUICE_`. */
export function settingKey(name: string): string {
  return name
    .replace(/^SLUICE_/, '')
    .toLowerCase()
    .replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
