import type { Problem } from './wire-reply';
import type { FieldDefinition, FieldValue, ObjectDefinition } from './field-definition';
import { findField, objectNamed } from './object-definitions';
import { toLongId } from './record-ids';
import type { RecordStore } from './record-store';

type Values = Readonly<Record<string, FieldValue>>;

/** What is wrong with the references of a write: their form, their object, their target. */
export function referenceProblems(store: RecordStore, object: ObjectDefinition, values: Values): Problem[] {
  return referencesIn(object, values).flatMap(([field, id]) => {
    const found = checkTarget(store, field, id);
    return found ? [found] : [];
  });
}

/** The same values, every reference in its 18-character form. */
export function withLongIds(object: ObjectDefinition, values: Values): Record<string, FieldValue> {
  const long = referencesIn(object, values).map(([field, id]) => [field.name, toLongId(id) ?? id] as const);
  return { ...values, ...Object.fromEntries(long) };
}

function referencesIn(object: ObjectDefinition, values: Values): [FieldDefinition, string][] {
  return Object.entries(values).flatMap(([name, value]): [FieldDefinition, string][] => {
    const field = findField(object, name);
    return field?.type === 'reference' && typeof value === 'string' ? [[field, value]] : [];
  });
}

function checkTarget(store: RecordStore, field: FieldDefinition, id: string): Problem | undefined {
  const message = `${field.label}: id value of incorrect type: ${id}`;
  const long = toLongId(id);
  if (long === undefined) return { code: 'MALFORMED_ID', message, fields: [field.name] };
  if (!long.startsWith(objectNamed(field.reference?.to ?? '').keyPrefix)) {
    return { code: 'FIELD_INTEGRITY_EXCEPTION', message, fields: [field.name] };
  }
  const target = store.find(long);
  if (!target)
    return { code: 'INVALID_CROSS_REFERENCE_KEY', message: 'invalid cross reference id', fields: [field.name] };
  return target.isDeleted
    ? { code: 'ENTITY_IS_DELETED', message: 'entity is deleted', fields: [field.name] }
    : undefined;
}
