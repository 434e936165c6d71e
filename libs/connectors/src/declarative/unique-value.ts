import type { Fields } from '../requests';
import type { DeclaredObject } from './declaration';
import { plain } from './same-value';

/** The field that is unique at the provider, with its value in these fields. */
export interface UniqueValue {
  readonly name: string;
  readonly value: string;
}

/** Undefined where the object has no such field, or the record does not set it. */
export function uniqueValueOf({ unique }: DeclaredObject, fields: Fields): UniqueValue | undefined {
  const value = unique === undefined || !Object.hasOwn(fields, unique) ? undefined : fields[unique];
  if (unique === undefined || (typeof value !== 'string' && typeof value !== 'number')) return undefined;
  return plain(value) === '' ? undefined : { name: unique, value: String(value).trim() };
}
