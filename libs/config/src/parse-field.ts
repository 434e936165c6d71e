import type { EnvField, ListField, StringField, UrlField, NumberField } from './env-field';
import { parseFailpoints } from './failpoint-spec';
import { parseKeyring } from './keyring';
import { broken, parsed, type Parsed } from './parsed';

/**
 * The value of a field that is present. Surrounding white space is dropped (a secret read from a file ends in a newline).
 * An empty text is an error, never the default: except for a list, whose empty text is the empty list unless it is required.
 */
export function parseField(field: EnvField, raw: string): Parsed<unknown> {
  const text = raw.trim();
  if (text === '') {
    const mayBeEmpty = field.type === 'list' && !isRequired(field);
    return mayBeEmpty ? parsed(Object.freeze([])) : broken(`is empty, but must be ${ruleOf(field)}`);
  }
  switch (field.type) {
    case 'string':
      return parseString(field, text);
    case 'url':
      return parseUrl(field, text);
    case 'integer':
    case 'number':
      return parseNumber(field, text);
    case 'boolean':
      return parseBoolean(text);
    case 'list':
      return parseList(field, text);
    case 'keyring':
      return parseKeyring(text);
    case 'failpoint':
  }
  const points = parseFailpoints(text);
  return points.ok ? parsed(text) : points;
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
  switch (field.type) {
    case 'string':
      return field.pattern === undefined ? 'a text' : `a text that matches ${field.pattern}`;
    case 'url':
      return `a URL of ${urlProtocols(field).join(' or ')}`;
    case 'integer':
    case 'number':
      return numberRule(field);
    case 'boolean':
      return 'on or off';
    case 'list':
      return 'a comma separated list';
    case 'keyring':
      return 'id:base64-of-32-bytes, several separated by commas, the current one first';
    case 'failpoint':
  }
  return 'name:action:probability, several separated by commas';
}

function parseList(field: ListField, text: string): Parsed<readonly string[]> {
  const items = text.split(',').map((item) => item.trim());
  if (items.includes('')) return broken('must be a comma separated list without empty items');
  const pattern = field.pattern === undefined ? undefined : new RegExp(`^(?:${field.pattern})$`);
  const wrong = pattern ? items.findIndex((item) => !pattern.test(item)) : -1;
  if (wrong >= 0) return broken(`must be a comma separated list; item ${wrong + 1} does not match ${field.pattern}`);
  return parsed(Object.freeze(items));
}

const words: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['true', true],
  ['1', true],
  ['off', false],
  ['false', false],
  ['0', false],
]);

function parseBoolean(text: string): Parsed<boolean> {
  const value = words.get(text.toLowerCase());
  return value === undefined ? broken('must be on or off') : parsed(value);
}

function parseString(field: StringField, text: string): Parsed<string> {
  if (field.pattern === undefined || new RegExp(`^(?:${field.pattern})$`).test(text)) return parsed(text);
  return broken(`must match ${field.pattern}`);
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

const forms = { integer: /^-?\d+$/, number: /^-?\d+(\.\d+)?$/ };

/** Stricter than `Number()`: no hexadecimal, exponent, sign `+` or separators, which are rarely meant. */
function parseNumber(field: NumberField, text: string): Parsed<number> {
  const value = Number(text);
  const isExact = field.type === 'number' || Number.isSafeInteger(value);
  const { min = -Infinity, max = Infinity } = field;
  const isValid = forms[field.type].test(text) && isExact && value >= min && value <= max;
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
