import type { Fields } from '../requests';

/**
 * Values as Salesforce takes them: as given, `null` empties a field. A list becomes the `;` form of a multi-select
 * picklist. `attributes` is no field: it says of which object a record is, which only we do. Source: reference B2, B3.
 */
export function toSent(fields: Fields): Record<string, unknown> {
  const own = Object.entries(fields).filter(([name]) => name.toLowerCase() !== 'attributes');
  return Object.fromEntries(own.map(([name, value]) => [name, Array.isArray(value) ? value.join(';') : value]));
}

/** Without the id under any spelling: Salesforce refuses an update that carries it. Source: reference B2. */
export function toSentUpdate(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(toSent(fields)).filter(([name]) => name.toLowerCase() !== 'id'));
}
