import type { Problem } from './errors';
import type { FieldDefinition, FieldValue } from './field-definition';
import type { ObjectDefinition } from './object-definition';
import { findField } from './object-definitions';
import { readValue } from './read-value';

/** The fields of one write: their stored form under canonical names, or the first thing that is wrong with them. */
export type ReadFields =
  { readonly values: Readonly<Record<string, FieldValue>> } | { readonly problems: readonly [Problem, ...Problem[]] };

const ignored = new Set(['attributes']);

/**
 * Reads the fields of a create or update. In Salesforce's order: names that do not exist, values of the wrong kind,
 * fields that this user may not write.
 * @param skip names that stand in the record for another reason, in lower case: `id` in a collection
 */
export function readFields(
  object: ObjectDefinition,
  body: Readonly<Record<string, unknown>>,
  mode: 'create' | 'update',
  skip: ReadonlySet<string> = new Set(),
): ReadFields {
  const sent = Object.entries(body).filter(([name]) => !ignored.has(name) && !skip.has(name.toLowerCase()));
  const known: [FieldDefinition, unknown][] = [];
  for (const [name, json] of sent) {
    const field = findField(object, name);
    if (!field) return { problems: [unknownField(name, object)] };
    if (field.type === 'id') return { problems: [idInBody] };
    known.push([field, json]);
  }
  const values: Record<string, FieldValue> = {};
  for (const [field, json] of known) {
    const read = readValue(field, json);
    if ('problem' in read) return { problems: [read.problem] };
    values[field.name] = read.value;
  }
  const locked = known.filter(([field]) => !(mode === 'create' ? field.createable : field.updateable));
  return locked.length > 0 ? { problems: [notWritable(locked.map(([field]) => field.name))] } : { values };
}

const idInBody: Problem = {
  code: 'INVALID_FIELD',
  message: 'The Id field should not be specified in the sobject data.',
};

function unknownField(name: string, object: ObjectDefinition): Problem {
  return { code: 'INVALID_FIELD', message: `No such column '${name}' on sobject of type ${object.name}` };
}

function notWritable(fields: readonly string[]): Problem {
  const message =
    `Unable to create/update fields: ${fields.join(', ')}. Please check the security settings of this field ` +
    'and verify that it is read/write for your profile or permission set.';
  return { code: 'INVALID_FIELD_FOR_INSERT_UPDATE', message, fields };
}
