import type { StringField, UrlField } from './env-field';
import { broken, parsed, type Parsed } from './parsed';

export function parseString(field: StringField, text: string): Parsed<string> {
  if (field.pattern === undefined || new RegExp(`^(?:${field.pattern})$`).test(text)) return parsed(text);
  return broken(`must match ${field.pattern}`);
}

export function parseUrl(field: UrlField, text: string): Parsed<string> {
  const protocols = urlProtocols(field);
  const url = URL.parse(text);
  if (!url || !protocols.includes(url.protocol.slice(0, -1)))
    return broken(`must be a URL of ${protocols.join(' or ')}`);
  return parsed(url.protocol.startsWith('http') ? text.replace(/\/+$/, '') : text);
}

export function urlProtocols(field: UrlField): readonly string[] {
  return field.protocols ?? ['http', 'https'];
}
