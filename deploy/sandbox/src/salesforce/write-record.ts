import { missingFields, valueProblems } from './check-values';
import { referenceProblems, withLongIds } from './check-references';
import type { Problem } from './wire-reply';
import type { FieldValue, ObjectDefinition } from './field-definition';
import { objectNamed } from './object-definitions';
import type { ApiCall } from './org';
import { recordUrl } from './present-record';
import { readFields, type ReadFields } from './read-value';
import { toShortId } from './record-ids';
import type { JsonObject } from './request-body';
import type { StoredRecord } from './record-values';
import { uniqueFieldsOf } from './unique-index';
import { comparedFields } from './person-index';
import type { RecordStore } from './record-store';

type Values = Readonly<Record<string, FieldValue>>;

/** What became of one record of a call. */
export type Outcome = { readonly record: StoredRecord } | { readonly problems: readonly [Problem, ...Problem[]] };

export interface Input {
  /** Position in the call, from 0. */
  readonly index: number;
  readonly body: JsonObject;
  /** Members of the body that are no fields to write, in lower case. */
  readonly skip?: ReadonlySet<string>;
}

/** Creates a record, or says everything that Salesforce has against it. */
export function createRecord(call: ApiCall, object: ObjectDefinition, input: Input): Outcome {
  const read = prepare(call, object, input, 'create');
  if ('problems' in read) return read;
  const problems = orderedProblems(call, { object, values: read.values });
  if (isSome(problems)) return { problems };
  return { record: call.org.store.create(object, withDefaults(call, object, read.values), call.now) };
}

/** Changes a record, or says everything that Salesforce has against it. */
export function updateRecord(call: ApiCall, current: StoredRecord, input: Input): Outcome {
  const object = objectNamed(current.type);
  const read = prepare(call, object, input, 'update');
  if ('problems' in read) return read;
  const problems = orderedProblems(call, { object, values: read.values, current });
  if (isSome(problems)) return { problems };
  return { record: call.org.store.update(current, withLongIds(object, read.values), call.now) };
}

/** Moves a record to the recycle bin. */
export function deleteRecord(call: ApiCall, current: StoredRecord, index: number): Outcome {
  const problem = refusalOf(call, index) ?? readOnlyObject(objectNamed(current.type));
  return problem ? { problems: [problem] } : { record: call.org.store.remove(current, call.now) };
}

/** The problem of an input that a `partial` fault refuses. */
function refusalOf(call: ApiCall, index: number): Problem | undefined {
  const refusal = call.refusals.get(index);
  if (!refusal) return undefined;
  return { code: refusal.code ?? 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message: refusal.message, fields: [] };
}

function prepare(call: ApiCall, object: ObjectDefinition, input: Input, mode: 'create' | 'update'): ReadFields {
  const problem = refusalOf(call, input.index) ?? readOnlyObject(object);
  return problem ? { problems: [problem] } : readFields(object, input.body, mode, input.skip);
}

interface Write {
  readonly object: ObjectDefinition;
  readonly values: Values;
  /** The record to change; absent for a create. */
  readonly current?: StoredRecord;
}

/** The first kind of problem that applies, with all its instances. */
function orderedProblems(call: ApiCall, write: Write): Problem[] {
  const { object, values, current } = write;
  const { store } = call.org;
  const checks = [
    () => missingFields(object, values, current ? 'update' : 'create'),
    () => [...valueProblems(object, values), ...referenceProblems(store, object, values)],
    () => duplicateValues(call, write),
    () => duplicateRecords(call, write),
  ];
  for (const check of checks) {
    const found = check();
    if (found.length > 0) return found;
  }
  return [];
}

function duplicateValues(call: ApiCall, { object, values, current }: Write): Problem[] {
  return uniqueFieldsOf(object.name).flatMap((field) => {
    const value = values[field] ?? null;
    const existing = value === null ? undefined : call.org.store.findByUnique(object.name, field, value);
    if (!existing || existing.id === current?.id) return [];
    const message = `duplicate value found: ${field} duplicates value on record with id: ${toShortId(existing.id)}`;
    return [{ code: 'DUPLICATE_VALUE', message, fields: [] }];
  });
}

function duplicateRecords(call: ApiCall, { object, values, current }: Write): Problem[] {
  if (allowsDuplicates(call.headers['sforce-duplicate-rule-header'])) return [];
  const found = findDuplicates(call.org.store, object.name, { values, current });
  return found.length === 0 ? [] : [duplicatesDetected(found, (record) => recordUrl(call.version, record))];
}

/** A create that leaves a field out, or empty, gets what Salesforce fills in. */
function withDefaults(call: ApiCall, object: ObjectDefinition, values: Values): Values {
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

/**
 * The live records that the standard rule takes for the same person: equal email, last and first name, whatever their
 * case. A write without email matches nobody; neither does an update that changes none of the three.
 */
function findDuplicates(
  store: RecordStore,
  type: string,
  write: { readonly values: Readonly<Record<string, FieldValue>>; readonly current?: StoredRecord | undefined },
): readonly StoredRecord[] {
  if (!comparedFields.some((field) => field in write.values)) return [];
  const alike = store.findAlike(type, { ...write.current?.fields, ...write.values });
  return alike.filter((other) => other.id !== write.current?.id);
}

/** The refusal, with the details that a single call carries. `url` makes the address of a record. */
function duplicatesDetected(duplicates: readonly StoredRecord[], url: (record: StoredRecord) => string): Problem {
  const [first] = duplicates;
  const type = first?.type ?? '';
  const message = 'Use one of these records?';
  const matchRecords = duplicates.map((record) => ({
    additionalInformation: [],
    fieldDiffs: [],
    matchConfidence: 100,
    record: { attributes: { type, url: url(record) }, Id: record.id },
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
