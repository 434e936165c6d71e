import { joinList } from '@sluice/types';
import type { Fields } from '../requests';

/** Between the choices of a multi-select. Source: reference A2, Values. */
export const listSeparator = ';';

/**
 * Values as HubSpot takes them. Strings, numbers and booleans are sent as given. `null` becomes `""`, which is how
 * HubSpot empties a property; HubSpot documents no meaning of a JSON null there. A list becomes the `;` form of a
 * multi-select, unless that would change its items. Anything else is sent as given, for HubSpot to refuse. Source: reference A2, Values.
 */
export function toProperties(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toValue(value)]));
}

function toValue(value: unknown): unknown {
  if (value === null) return '';
  return Array.isArray(value) ? joinList(value, listSeparator) : value;
}
