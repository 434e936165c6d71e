import { createHash } from 'node:crypto';
import type { Fields } from '../requests';
import { isEmpty, plain } from './same-value';

/**
 * SHA-256, in hex, of what two creates have in common when they can be taken for one another: every value that is not
 * empty. Which fields are unique only the account's description tells, which is not asked here.
 */
export function fingerprint(objectName: string, fields: Fields): string {
  const told = Object.entries(fields)
    .filter(([, value]) => !isEmpty(value))
    .map(([name, value]) => [name.toLowerCase(), plain(value)])
    .sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([objectName.toLowerCase(), told]))
    .digest('hex');
}
