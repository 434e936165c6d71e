import { joinList } from '@sluice/types';
import type { Fields } from '../requests';

/** Between the choices of a multi-select picklist. Source: reference B3. */
export const listSeparator = ';';

/**
 * Names, in lower case, that no record sets: `attributes` says of which object a record is, which only we do, and an update
 * that carries its id is refused. Source: reference B2, B3.
 */
export const reserved = { create: ['attributes'], update: ['attributes', 'id'] } as const;

/**
 * Values as Salesforce takes them: as given, `null` empties a field, a list becomes one text unless that would change its
 * items. Reserved names are left out, whoever planned them.
 */
export function toSent(fields: Fields): Record<string, unknown> {
  return withoutReserved(fields, reserved.create);
}

/** Also without the id under any spelling. */
export function toSentUpdate(fields: Fields): Record<string, unknown> {
  return withoutReserved(fields, reserved.update);
}

function withoutReserved(fields: Fields, names: readonly string[]): Record<string, unknown> {
  const own = Object.entries(fields).filter(([name]) => !names.includes(name.toLowerCase()));
  return Object.fromEntries(
    own.map(([name, value]) => [name, Array.isArray(value) ? joinList(value, listSeparator) : value]),
  );
}
