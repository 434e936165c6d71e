import { createHash } from 'node:crypto';
import type { Fields } from '../requests';
import { canonicalObjectName } from './object-names';
import { normalizeValue } from './same-value';
import { uniqueKeyOf } from './unique-key';

/**
 * SHA-256, in hex, of what two creates have in common when they can be taken for one another: the unique property
 * alone where there is one (at most one record can carry it), else every value that is not empty.
 */
export function fingerprint(objectName: string, fields: Fields): string {
  const key = uniqueKeyOf(objectName, fields);
  const told = key ? [[key.name, key.value]] : valuesOf(fields);
  return createHash('sha256')
    .update(JSON.stringify([canonicalObjectName(objectName), told]))
    .digest('hex');
}

function valuesOf(fields: Fields): string[][] {
  return Object.entries(fields)
    .map(([name, value]) => [name, normalizeValue(value)])
    .filter(([, value]) => value !== '')
    .sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
}
