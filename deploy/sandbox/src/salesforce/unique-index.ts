import type { FieldValue } from './field-definition';
import { objectDefinitions } from './object-definitions';
import type { StoredRecord } from './record-values';

const uniqueNames = new Map(
  objectDefinitions.map(({ name, fields }) => [
    name,
    fields.filter((field) => field.unique === true).map((field) => field.name),
  ]),
);

/** Names of the fields that no two live records of an object share a value of. */
export const uniqueFieldsOf = (type: string): readonly string[] => uniqueNames.get(type) ?? [];

const keyOf = (type: string, field: string, value: FieldValue): string =>
  `${type} ${field} ${String(value).toLowerCase()}`;

/** Finds live records by a unique field. A deleted record gives its value free. */
export class UniqueIndex {
  private readonly ids = new Map<string, string>();

  idOf(type: string, field: string, value: FieldValue): string | undefined {
    return this.ids.get(keyOf(type, field, value));
  }

  /** A key goes with its record only while it is its own: when a call is undone, another may have it back already. */
  replace(before: StoredRecord | undefined, after: StoredRecord | undefined): void {
    for (const key of keysOf(before)) if (this.ids.get(key) === before?.id) this.ids.delete(key);
    for (const key of keysOf(after)) this.ids.set(key, after?.id ?? '');
  }
}

/** The keys under which a record stands; none when it is deleted or absent. */
function keysOf(record: StoredRecord | undefined): string[] {
  if (!record || record.isDeleted) return [];
  return uniqueFieldsOf(record.type).flatMap((field) => {
    const value = record.fields[field];
    return value === undefined || value === null ? [] : [keyOf(record.type, field, value)];
  });
}
