import { limits } from './limits';

/**
 * The provider's id of a record, from its `id` field. A whole number counts as its digits: HubSpot ids look like
 * numbers and callers send them so. Undefined: absent, empty, too long, with a NUL, or of another type.
 */
export function recordIdOf(record: Readonly<Record<string, unknown>>): string | undefined {
  const id = Object.hasOwn(record, 'id') ? record['id'] : undefined;
  if (typeof id === 'number') return Number.isSafeInteger(id) && id >= 0 ? String(id) : undefined;
  const isText = typeof id === 'string' && id !== '' && id.length <= limits.nameCharactersMax && !id.includes('\0');
  return isText ? id : undefined;
}
