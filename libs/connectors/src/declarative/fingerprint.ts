import { createHash } from 'node:crypto';
import type { Fields } from '../requests';
import type { Declaration } from './declaration';
import { plain } from './same-value';
import { uniqueValueOf } from './unique-value';

/**
 * SHA-256, in hex, of what two creates have in common when they can be taken for one another: the unique value alone where there
 * is one (at most one record can carry it), else every value that is not empty.
 */
export function fingerprint({ objects }: Declaration, objectName: string, fields: Fields): string {
  const object = Object.hasOwn(objects, objectName) ? objects[objectName] : undefined;
  const unique = object && uniqueValueOf(object, fields);
  const told = unique ? [[unique.name, plain(unique.value)]] : valuesOf(fields);
  return createHash('sha256')
    .update(JSON.stringify([objectName, told]))
    .digest('hex');
}

function valuesOf(fields: Fields): string[][] {
  return Object.entries(fields)
    .map(([name, value]) => [name, plain(value)])
    .filter(([, value]) => value !== '')
    .sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
}
