import { noSuchColumn } from '../wire-reply';
import type { FieldDefinition, FieldValue, ObjectDefinition } from '../field-definition';
import { findField, objectNamed, visibleFields } from '../object-definitions';
import type { Org } from '../org';
import { fieldValue, type StoredRecord } from '../record-values';
import type { Name } from './query';
import { queryError } from './query-error';

/** A field, directly or through references: `Name`, `Account.Name`, `Contact.Account.Owner.Email`. */
export interface FieldPath {
  readonly through: readonly FieldDefinition[];
  readonly field: FieldDefinition;
}

/** Paths may cross five objects, as in Salesforce. */
const STEPS_MAX = 5;

/** Finds the field that a name means. @throws SalesforceError INVALID_FIELD */
export function resolvePath(soql: string, object: ObjectDefinition, name: Name): FieldPath {
  const parts = name.text.split('.');
  const start = parts.length > 1 && isOwnName(object, parts[0] ?? '') ? parts.slice(1) : parts;
  const through: FieldDefinition[] = [];
  let current = object;
  for (const part of start.slice(0, -1)) {
    const step = visibleFields(current).find((field) => field.reference?.path.toLowerCase() === part.toLowerCase());
    if (!step?.reference || through.length === STEPS_MAX) throw noRelationship(soql, current, { ...name, text: part });
    through.push(step);
    current = objectNamed(step.reference.to);
  }
  const field = findField(current, start.at(-1) ?? '');
  if (field) return { through, field };
  throw queryError(soql, name.at, noSuchColumn(start.at(-1) ?? '', current.name));
}

/** The record at the end of references; undefined when one of them is empty or its target is gone. */
export function recordAt(
  org: Org,
  record: StoredRecord,
  through: readonly FieldDefinition[],
): StoredRecord | undefined {
  return through.reduce<StoredRecord | undefined>((current, step) => {
    const id = current ? fieldValue(current, step, org.userId) : null;
    const target = typeof id === 'string' ? org.store.find(id) : undefined;
    return target?.isDeleted ? undefined : target;
  }, record);
}

/** The value at the end of a path; null when the path breaks off. */
export function valueAt(org: Org, record: StoredRecord, path: FieldPath): FieldValue {
  const end = recordAt(org, record, path.through);
  return end ? fieldValue(end, path.field, org.userId) : null;
}

/** `SELECT Contact.Name FROM Contact` is the same as `SELECT Name FROM Contact`, unless a relationship has that name. */
function isOwnName(object: ObjectDefinition, part: string): boolean {
  const isPath = object.fields.some((field) => field.reference?.path.toLowerCase() === part.toLowerCase());
  return !isPath && part.toLowerCase() === object.name.toLowerCase();
}

function noRelationship(soql: string, object: ObjectDefinition, { text, at }: Name) {
  const message =
    `Didn't understand relationship '${text}' in field path. If you are attempting to use a custom relationship, ` +
    "be sure to append the '__r' after the custom relationship name. " +
    `Please reference your WSDL or the describe call for the appropriate names. (${object.name})`;
  return queryError(soql, at, { code: 'INVALID_FIELD', message });
}
