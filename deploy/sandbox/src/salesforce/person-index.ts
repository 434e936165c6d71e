import type { FieldValue } from './field-definition';
import type { StoredRecord } from './record-values';

type Values = Readonly<Record<string, FieldValue>>;

/** Objects with an active duplicate rule. */
const people = new Set(['Contact', 'Lead']);

/** What the standard rule compares. Without an email a record is like no other. */
export const comparedFields = ['Email', 'LastName', 'FirstName'] as const;

function keyOf(type: string, values: Values): string | undefined {
  if (!people.has(type) || !values.Email) return undefined;
  return [type, ...comparedFields.map((field) => String(values[field] ?? '').toLowerCase())].join('\n');
}

/** Finds live people by what the duplicate rule compares. */
export class PersonIndex {
  private readonly ids = new Map<string, Set<string>>();

  idsLike(type: string, values: Values): readonly string[] {
    const key = keyOf(type, values);
    return key === undefined ? [] : [...(this.ids.get(key) ?? [])];
  }

  replace(before: StoredRecord | undefined, after: StoredRecord | undefined): void {
    if (before && !before.isDeleted) this.ids.get(keyOf(before.type, before.fields) ?? '')?.delete(before.id);
    const key = after && !after.isDeleted ? keyOf(after.type, after.fields) : undefined;
    if (!after || key === undefined) return;
    const known = this.ids.get(key);
    if (known) known.add(after.id);
    else this.ids.set(key, new Set([after.id]));
  }
}
