import type { JsonObject } from '../crm/json-body';
import type { Fields, FieldValue, StoredRecord } from '../crm/record-store';
import { recordDeleted, refused, unknownReference, type Problem, type Problems } from './errors';
import { isRequired, type FieldDefinition, type ObjectDefinition } from './field-definition';
import { findField, objectNamed } from './objects';
import { attributesOf, comparedFields, type OrgCall, type OrgData } from './org-data';
import { readFields, readMoment, type ReadFields } from './read-value';
import { toLongId, toShortId } from './record-ids';

/** What became of one record of a call. */
export type Outcome = { readonly record: StoredRecord } | { readonly problems: Problems };

export interface Input {
  /** Position in the call, from 0. */
  readonly index: number;
  readonly body: JsonObject;
  /** Members of the body that are no fields to write, in lower case. */
  readonly skip?: ReadonlySet<string>;
}

/** Creates a record, or returns every error that Salesforce reports. */
export function createRecord(call: OrgCall, object: ObjectDefinition, input: Input): Outcome {
  const read = prepare(call, object, input, 'create');
  if ('problems' in read) return read;
  const problems = orderedProblems(call, { object, values: read.values });
  if (isSome(problems)) return { problems };
  const { CreatedDate, ...values } = read.values;
  const createdAt = typeof CreatedDate === 'string' ? readMoment(CreatedDate) : undefined;
  return { record: call.data.create(object.name, withDefaults(call, object, values), call.now, createdAt) };
}

/** Changes a record, or returns every error that Salesforce reports. */
export function updateRecord(call: OrgCall, current: StoredRecord, input: Input): Outcome {
  const object = objectNamed(current.type);
  const read = prepare(call, object, input, 'update');
  if ('problems' in read) return read;
  const problems = orderedProblems(call, { object, values: read.values, current });
  if (isSome(problems)) return { problems };
  return { record: call.data.update(current, withLongIds(object, read.values), call.now) };
}

/** Moves a record to the recycle bin. */
export function deleteRecord(call: OrgCall, current: StoredRecord, index: number): Outcome {
  const problem = refusalOf(call, index) ?? readOnlyObject(objectNamed(current.type));
  return problem ? { problems: [problem] } : { record: call.data.remove(current, call.now) };
}

/** The problem of an input that a `partial` fault refuses. */
function refusalOf(call: OrgCall, index: number): Problem | undefined {
  const refusal = call.refusals.get(index);
  return refusal && refused(refusal);
}

function prepare(call: OrgCall, object: ObjectDefinition, input: Input, mode: 'create' | 'update'): ReadFields {
  const problem = refusalOf(call, input.index) ?? readOnlyObject(object);
  return problem
    ? { problems: [problem] }
    : readFields(object, input.body, mode, { ...input, auditFields: call.auditFields });
}

interface Write {
  readonly object: ObjectDefinition;
  readonly values: Fields;
  /** The record to change; absent for a create. */
  readonly current?: StoredRecord;
}

/** The first kind of problem that applies, with all its instances. */
function orderedProblems(call: OrgCall, write: Write): Problem[] {
  const { object, values, current } = write;
  const checks = [
    () => missingFields(object, values, current ? 'update' : 'create'),
    () => [...valueProblems(object, values), ...referenceProblems(call.data, object, values)],
    () => duplicateValues(call, write),
    () => duplicateRecords(call, write),
  ];
  for (const check of checks) {
    const found = check();
    if (found.length > 0) return found;
  }
  return [];
}

function duplicateValues({ data }: OrgCall, { object, values, current }: Write): Problem[] {
  return data.conflicts(object.name, values, current?.id).map(({ field, existing }) => {
    const message = `duplicate value found: ${field} duplicates value on record with id: ${toShortId(existing.id)}`;
    return { code: 'DUPLICATE_VALUE', message, fields: [] };
  });
}

/**
 * The live records that the standard rule takes for the same person: equal email, last and first name, whatever their case. A write without email
 * matches no record, and neither does an update that changes none of the three.
 */
function duplicateRecords(call: OrgCall, { object, values, current }: Write): Problem[] {
  if (allowsDuplicates(call.headers['sforce-duplicate-rule-header'])) return [];
  if (!comparedFields.some((field) => field in values)) return [];
  const alike = call.data.findAlike(object.name, { ...current?.fields, ...values });
  const others = alike.filter((other) => other.id !== current?.id);
  return others.length === 0 ? [] : [duplicatesDetected(others, call.version)];
}

/** A create that leaves a field out, or empty, gets what Salesforce fills in. */
function withDefaults(call: OrgCall, object: ObjectDefinition, values: Fields): Fields {
  const defaults = object.fields.flatMap(({ name, defaultValue }) =>
    defaultValue === undefined ? [] : [[name, defaultValue] as const],
  );
  const sent = Object.entries(withLongIds(object, values)).filter(([, value]) => value !== null);
  return { OwnerId: call.org.userId, ...Object.fromEntries(defaults), ...Object.fromEntries(sent) };
}

function readOnlyObject(object: ObjectDefinition): Problem | undefined {
  if (object.isWritable) return undefined;
  const message = `insufficient access rights on entity: ${object.name}`;
  return { code: 'INSUFFICIENT_ACCESS_OR_READONLY', message, fields: [] };
}

const isSome = (problems: readonly Problem[]): problems is [Problem, ...Problem[]] => problems.length > 0;

/** Whether the caller lets duplicates through: `Sforce-Duplicate-Rule-Header: allowSave=true`. */
const allowsDuplicates = (header: string | undefined): boolean => /\ballowSave\s*=\s*true\b/i.test(header ?? '');

/** The refusal, with the details that a single call carries. */
function duplicatesDetected(duplicates: readonly StoredRecord[], version: string): Problem {
  const [first] = duplicates;
  const type = first?.type ?? '';
  const message = 'Use one of these records?';
  const matchRecords = duplicates.map((record) => ({
    additionalInformation: [],
    fieldDiffs: [],
    matchConfidence: 100,
    record: { attributes: attributesOf(version, record), Id: record.id },
  }));
  const match = { entityType: type, errors: [], matchEngine: 'FuzzyMatchEngine', matchRecords, success: true };
  const duplicateResult = {
    allowSave: true,
    duplicateRule: `Standard_${type}_Duplicate_Rule`,
    duplicateRuleEntityType: type,
    errorMessage: message,
    matchResults: [{ ...match, rule: `Standard_${type}_Match_Rule_v1_1`, size: duplicates.length }],
  };
  return { code: 'DUPLICATES_DETECTED', message, extra: { duplicateResult } };
}

/** Deliberately loose: whatever looks like one mailbox at a dotted domain. */
const emailShape = /^[^\s@<>(),;:"\\[\]]+@[^\s@.,]+(\.[^\s@.,]+)+$/;

/** What a record lacks: on a create every required field that is empty, on an update those that the write empties. */
function missingFields(object: ObjectDefinition, values: Fields, mode: 'create' | 'update'): Problem[] {
  const missing = object.fields
    .filter((field) => (mode === 'create' ? isRequired(field) : field.updateable && !field.nillable))
    .map((field) => field.name)
    .filter((name) => values[name] === null || (mode === 'create' && values[name] === undefined));
  if (missing.length === 0) return [];
  const message = `Required fields are missing: [${missing.join(', ')}]`;
  return [{ code: 'REQUIRED_FIELD_MISSING', message, fields: missing }];
}

/** What is wrong with single values; references are looked at elsewhere, because they need the records. */
function valueProblems(object: ObjectDefinition, values: Fields): Problem[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const field = findField(object, name);
    const found = field && value !== null ? checkValue(field, value) : undefined;
    return found ? [{ ...found, fields: [name] }] : [];
  });
}

function checkValue(field: FieldDefinition, value: string | number | boolean): Problem | undefined {
  if (typeof value !== 'string') return undefined;
  if (field.length > 0 && value.length > field.length) {
    const message = `${field.label}: data value too large: ${value} (max length=${field.length})`;
    return { code: 'STRING_TOO_LONG', message };
  }
  if (field.type === 'email' && !emailShape.test(value)) {
    return { code: 'INVALID_EMAIL_ADDRESS', message: `${field.label}: invalid email address: ${value}` };
  }
  return field.restricted ? checkOptions(field, value) : undefined;
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

/** What is wrong with the references of a write: their form, their object, their target. */
function referenceProblems(data: OrgData, object: ObjectDefinition, values: Fields): Problem[] {
  return referencesIn(object, values).flatMap(([field, id]) => {
    const found = checkTarget(data, field, id);
    return found ? [found] : [];
  });
}

/** The same values, every reference in its 18-character form. */
function withLongIds(object: ObjectDefinition, values: Fields): Record<string, FieldValue> {
  const long = referencesIn(object, values).map(([field, id]) => [field.name, toLongId(id) ?? id] as const);
  return { ...values, ...Object.fromEntries(long) };
}

function referencesIn(object: ObjectDefinition, values: Fields): [FieldDefinition, string][] {
  return Object.entries(values).flatMap(([name, value]): [FieldDefinition, string][] => {
    const field = findField(object, name);
    return field?.type === 'reference' && typeof value === 'string' ? [[field, value]] : [];
  });
}

function checkTarget(data: OrgData, field: FieldDefinition, id: string): Problem | undefined {
  const message = `${field.label}: id value of incorrect type: ${id}`;
  const long = toLongId(id);
  if (long === undefined) return { code: 'MALFORMED_ID', message, fields: [field.name] };
  if (!long.startsWith(objectNamed(field.reference?.to ?? '').keyPrefix)) {
    return { code: 'FIELD_INTEGRITY_EXCEPTION', message, fields: [field.name] };
  }
  const target = data.find(long);
  if (!target) return unknownReference([field.name]);
  return target.isDeleted ? { ...recordDeleted, fields: [field.name] } : undefined;
}
