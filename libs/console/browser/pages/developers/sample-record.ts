import type { FieldMetadata, ObjectMetadata } from '@sluice/types';

const fieldsMax = 5;
/** Fields that most accounts know, in the order in which a person would give them. */
const usual = /^(email|firstname|lastname|name|company|domain|phone|subject|dealname)$/i;

/** A record of an object's own fields, as JSON: the required ones, then those that a reader knows. */
export function sampleRecord({ fields }: ObjectMetadata): string {
  const all = Object.values(fields).filter(({ readOnly }) => readOnly !== true);
  const required = all.filter(({ isRequired }) => isRequired === true);
  const known = all.filter((field) => !required.includes(field) && usual.test(field.fieldName));
  const chosen = [...required, ...known, ...(required.length + known.length === 0 ? all : [])].slice(0, fieldsMax);
  return JSON.stringify(Object.fromEntries(chosen.map((field) => [field.fieldName, sampleOf(field)])), null, 2);
}

function sampleOf({ fieldName, displayName, valueType, values = [] }: FieldMetadata): unknown {
  if (/email/i.test(fieldName)) return 'zoe@example.com';
  if (/phone/i.test(fieldName)) return '+49 30 1234567';
  if (/domain|website/i.test(fieldName)) return 'example.com';
  switch (valueType) {
    case 'boolean':
      return true;
    case 'int':
      return 1;
    case 'float':
      return 1.5;
    case 'date':
      return '2026-01-31';
    case 'datetime':
      return '2026-01-31T12:00:00Z';
    case 'singleSelect':
      return values[0]?.value ?? '';
    case 'multiSelect':
      return values.slice(0, 1).map(({ value }) => value);
    default:
      return `${displayName} of Zoe`;
  }
}
