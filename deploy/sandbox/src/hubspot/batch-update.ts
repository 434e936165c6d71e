import type { Action, ObjectCall } from './api-call';
import { batchError, batchReply, missingIds, type BatchError } from './batch-reply';
import { checkWrite, refused, readId, readInputs, readJsonObject, readProperties, readTraceId } from './request-body';
import type { CrmRecord } from './crm-record';
import { invalid } from './wire-reply';
import { findRecord, requireUniqueProperty } from './find-record';
import type { ObjectType } from './objects/object-type';
import { presentUpdated, type WireRecord } from './present-record';
import { definitionProblems, normaliseValues, propertiesInvalid } from './validate-properties';

interface Input {
  readonly id: string;
  readonly values: Readonly<Record<string, string>>;
  readonly traceId: string | undefined;
  readonly record: CrmRecord | undefined;
}

/**
 * `POST /crm/v3/objects/{T}/batch/update`: always partial, 200 or 207, whatever trace ids say.
 * Results are in the order of record ids, not of the inputs: callers have to match by id.
 */
export const batchUpdate: Action<ObjectCall> = (call) => {
  const inputs = readInputs(readJsonObject(call.bodyText)).map((input): Input => {
    const idProperty = typeof input.idProperty === 'string' ? input.idProperty : undefined;
    requireUniqueProperty(call.type, idProperty);
    const id = readId(input);
    const values = normaliseValues(readProperties(input));
    return { id, values, traceId: readTraceId(input), record: findRecord(call.records, id, idProperty) };
  });
  refuseDuplicateIds(inputs.map((input) => input.record?.id ?? input.id));
  const unknown = inputs.flatMap((input) => definitionProblems(call.type, input.values));
  if (unknown.length > 0) throw propertiesInvalid(unknown);
  return batchReply(call, 200, updateEach(call, inputs));
};

/** One record id twice in a batch refuses the whole call, for reads as well as for updates. */
export function refuseDuplicateIds(ids: readonly string[]): void {
  const repeated = [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
  if (repeated.length === 0) return;
  const message = `Duplicate IDs found in batch input: [${repeated.join(', ')}]. IDs must be unique`;
  throw invalid(message, { context: { ids: repeated } });
}

function updateEach(call: ObjectCall, inputs: readonly Input[]) {
  const results: WireRecord[] = [];
  const errors: BatchError[] = [];
  for (const [index, input] of inputs.entries()) {
    const { record, values } = input;
    const refusal = call.refusals.get(index);
    const known = record && checkWrite(call.records, values, { ownId: record.id });
    const failure = refusal ? refused(refusal) : known;
    if (failure) errors.push(batchError(failure, naming(input), refusal));
    else if (record) results.push(presentUpdated(call, call.records.update(record, values, call.now), values));
  }
  results.sort((a, b) => Number(a.id) - Number(b.id));
  const absent = inputs.filter(({ record }, index) => !record && !call.refusals.has(index));
  return { results, errors: [...errors, ...missing(call.type, absent)] };
}

/** Inputs with a trace id are reported one by one, the others together. */
function missing(type: ObjectType, inputs: readonly Input[]): BatchError[] {
  const traced = inputs.filter((input) => input.traceId !== undefined);
  const untraced = inputs.filter((input) => input.traceId === undefined).map((input) => input.id);
  return [
    ...traced.map((input) => missingIds(type, [input.id], [input.traceId ?? ''])),
    ...(untraced.length > 0 ? [missingIds(type, untraced)] : []),
  ];
}

function naming(input: Input): Record<string, string[]> {
  return { ids: [input.id], ...(input.traceId === undefined ? {} : { objectWriteTraceId: [input.traceId] }) };
}
