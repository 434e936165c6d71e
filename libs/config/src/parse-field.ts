import type { EnvField } from './env-field';
import { parseFailpoints } from './failpoint-spec';
import { parseKeyring } from './keyring';
import { parseBoolean } from './parse-boolean';
import { parseList } from './parse-list';
import { numberRule, parseNumber } from './parse-number';
import { parseString, parseUrl, urlProtocols } from './parse-text';
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
