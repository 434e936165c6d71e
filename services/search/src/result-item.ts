import type { ProviderRecord } from '@sluice/connectors';
import { toDeliveredValue, type JsonValue, type SearchResultItem } from '@sluice/types';
import type { FieldNames } from './searchable-object';

type Members = readonly (readonly [string, JsonValue])[];

/**
 * A provider's record as the specification returns it. A mapped provider field stands under its mapped names only;
 * the others under the name that the manifest or the config spells, else the provider's. `raw` is untouched.
 */
export function toResultItem(record: ProviderRecord, names: FieldNames): SearchResultItem {
  const values = new Map(
    Object.entries(record.fields).map(([field, value]) => [
      field.toLowerCase(),
      { field, value: toDeliveredValue(names.values, field, value as JsonValue) },
    ]),
  );
  const targets = new Set([...names.mapped.values()].map((field) => field?.toLowerCase()));
  const spelled = new Map(names.unmapped.map((name) => [name.toLowerCase(), name]));
  const fields: Members = [...values]
    .filter(([key]) => !targets.has(key))
    .map(([key, { field, value }]) => [spelled.get(key) ?? field, value]);
  const mappedFields: Members = [...names.mapped].flatMap(([name, field]) => {
    const found = field === undefined ? undefined : values.get(field.toLowerCase());
    return found === undefined ? [] : [[name, found.value] as const];
  });
  return {
    id: record.id,
    // fromEntries defines members, so a field named __proto__ stays a field.
    fields: Object.fromEntries(fields),
    mappedFields: Object.fromEntries(mappedFields),
    raw: record.raw as SearchResultItem['raw'],
  };
}
