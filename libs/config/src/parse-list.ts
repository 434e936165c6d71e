import type { ListField } from './env-field';
import { broken, parsed, type Parsed } from './parsed';

export function parseList(field: ListField, text: string): Parsed<readonly string[]> {
  const items = text.split(',').map((item) => item.trim());
  if (items.includes('')) return broken('must be a comma separated list without empty items');
  const pattern = field.pattern === undefined ? undefined : new RegExp(`^(?:${field.pattern})$`);
  const wrong = pattern ? items.findIndex((item) => !pattern.test(item)) : -1;
  if (wrong >= 0) return broken(`must be a comma separated list; item ${wrong + 1} does not match ${field.pattern}`);
  return parsed(Object.freeze(items));
}
