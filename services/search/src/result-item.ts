import type { ProviderRecord } from '@sluice/connectors';
import {
  fieldSteps,
  memberAt,
  toDeliveredValue,
  withMemberAt,
  type JsonValue,
  type SearchResultItem,
} from '@sluice/types';
import type { FieldNames } from './searchable-object';

type Members = readonly (readonly [string, JsonValue])[];

/**
 * A provider's record as the specification returns it. A mapped provider field stands under its mapped names only;
 * the others under the name that the manifest or the config spells, else the provider's. An object stays whole under its own name, whichever
 * of its parts have a name too. `raw` is untouched.
 */
export function toResultItem(record: ProviderRecord, names: FieldNames): SearchResultItem {
  const values = new Map(
    Object.entries(record.fields).map(([field, value]) => [
      field.toLowerCase(),
      { field, value: toDeliveredValue(names.values, field, value as JsonValue) },
    ]),
  );
  const read = (field: string): JsonValue | undefined => {
    const steps = fieldSteps(field);
    if (steps.length === 1) return values.get(field.toLowerCase())?.value;
    const found = memberAt(record.fields, steps);
    return found === undefined ? undefined : toDeliveredValue(names.values, field, found as JsonValue);
  };
  const targets = new Set([...names.mapped.values()].map((field) => field?.toLowerCase()));
  const spelled = new Map(names.unmapped.map((name) => [names.fieldOf(name)?.toLowerCase(), name]));
  const fields: Members = [...values]
    .filter(([key]) => !targets.has(key))
    .map(([key, { field, value }]) => [spelled.get(key) ?? field, value]);
  const inside: Members = names.unmapped.flatMap((name) => {
    const field = names.fieldOf(name);
    const value = field === undefined || fieldSteps(field).length === 1 ? undefined : read(field);
    return value === undefined ? [] : [[name, value] as const];
  });
  let mappedFields: SearchResultItem['mappedFields'] = {};
  for (const [name, field] of names.mapped) {
    const value = field === undefined ? undefined : read(field);
    // A mapped name that is a path is delivered as one.
    if (value !== undefined) mappedFields = withMemberAt(mappedFields, fieldSteps(name), value) ?? mappedFields;
  }
  return {
    id: record.id,
    // fromEntries defines members, so a field named __proto__ stays a field.
    fields: Object.fromEntries([...fields, ...inside]),
    mappedFields,
    raw: record.raw as SearchResultItem['raw'],
  };
}
