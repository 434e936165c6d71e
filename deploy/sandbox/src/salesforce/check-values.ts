import type { Problem } from './wire-reply';
import { isRequired, type FieldDefinition, type FieldValue, type ObjectDefinition } from './field-definition';
import { findField } from './object-definitions';

type Values = Readonly<Record<string, FieldValue>>;

/** Deliberately loose: whatever looks like one mailbox at a dotted domain. */
const emailShape = /^[^\s@<>(),;:"\\[\]]+@[^\s@.,]+(\.[^\s@.,]+)+$/;

/** What a record lacks: on a create every required field that is empty, on an update those that the write empties. */
export function missingFields(object: ObjectDefinition, values: Values, mode: 'create' | 'update'): Problem[] {
  const missing = object.fields
    .filter((field) => (mode === 'create' ? isRequired(field) : field.updateable && !field.nillable))
    .map((field) => field.name)
    .filter((name) => values[name] === null || (mode === 'create' && values[name] === undefined));
  if (missing.length === 0) return [];
  const message = `Required fields are missing: [${missing.join(', ')}]`;
  return [{ code: 'REQUIRED_FIELD_MISSING', message, fields: missing }];
}

/** What is wrong with single values; references are looked at elsewhere, because they need the records. */
export function valueProblems(object: ObjectDefinition, values: Values): Problem[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const field = findField(object, name);
    const found = field && value !== null ? checkValue(field, value) : undefined;
    return found ? [{ ...found, fields: [name] }] : [];
  });
}

function checkValue(field: FieldDefinition, value: string | number | boolean): Problem | undefined {
  if (typeof value === 'number') return checkSize(field, value);
  if (typeof value === 'boolean') return undefined;
  if (field.length > 0 && value.length > field.length) {
    const message = `${field.label}: data value too large: ${value} (max length=${field.length})`;
    return { code: 'STRING_TOO_LONG', message };
  }
  if (field.type === 'email' && !emailShape.test(value)) {
    return { code: 'INVALID_EMAIL_ADDRESS', message: `${field.label}: invalid email address: ${value}` };
  }
  return field.restricted ? checkOptions(field, value) : undefined;
}

function checkSize(field: FieldDefinition, value: number): Problem | undefined {
  if (!field.digits || Math.abs(value) < 10 ** field.digits.whole) return undefined;
  const message = `${field.label}: value outside of valid range on numeric field: ${value}`;
  return { code: 'NUMBER_OUTSIDE_VALID_RANGE', message };
}

/** A multi-select value is a list joined by `;`. */
function checkOptions(field: FieldDefinition, value: string): Problem | undefined {
  const parts = field.type === 'multipicklist' ? value.split(';') : [value];
  const known = new Set(field.options?.map((option) => option.toLowerCase()));
  const wrong = parts.find((part) => !known.has(part.toLowerCase()));
  if (wrong === undefined) return undefined;
  const message = `${field.label}: bad value for restricted picklist field: ${wrong}`;
  return { code: 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', message };
}
