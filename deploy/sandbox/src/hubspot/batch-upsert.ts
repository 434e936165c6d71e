import type { Action, ObjectCall } from './api-call';
import { isPartial, refuseRepeatedValues } from './batch-create';
import { batchError, batchReply, type BatchError } from './batch-reply';
import { refuseDuplicateIds } from './batch-update';
import {
  checkWrite,
  readId,
  readInputs,
  readJsonObject,
  readProperties,
  readTraceId,
  type JsonObject,
} from './request-body';
import { invalidJson, recordNotFound, type HubspotError } from './wire-reply';
import { findRecord, requireUniqueProperty } from './find-record';
import { presentCreated, presentUpdated } from './present-record';
import { definitionProblems, normaliseValues, propertiesInvalid } from './validate-properties';

interface Input {
  readonly id: string;
  readonly idProperty: string;
  /** With the unique value itself, which a new record takes over. */
  readonly values: Readonly<Record<string, string>>;
  readonly traceId: string | undefined;
}

/**
 * `POST /crm/v3/objects/{T}/batch/upsert` by a unique property -> 200 or 207; `new` tells what became of an input.
 * Partial with a trace id of its own on each input, but never by email (docs/contributing/providers.md, A3); otherwise all or nothing.
 */
export const batchUpsert: Action<ObjectCall> = (call) => {
  const inputs = readInputs(readJsonObject(call.bodyText)).map((input) => readInput(call, input));
  refuseDuplicateIds(inputs.map(({ id }) => id.toLowerCase()));
  const unknown = inputs.flatMap(({ values }) => definitionProblems(call.type, values));
  if (unknown.length > 0) throw propertiesInvalid(unknown);
  const canBePartial = isPartial(inputs) && inputs.every(({ idProperty }) => idProperty !== 'email');
  if (!canBePartial) requireAll(call, inputs);
  const results: unknown[] = [];
  const errors: BatchError[] = [];
  for (const [index, input] of inputs.entries()) {
    const failure = check(call, input, index);
    if (failure) errors.push(batchError(failure, naming(input), call.refusals.get(index)));
    else results.push(apply(call, input));
  }
  return batchReply(call, 200, { results, errors });
};

function requireAll(call: ObjectCall, inputs: readonly Input[]): void {
  for (const [index, input] of inputs.entries()) {
    const failure = check(call, input, index);
    if (failure) throw failure;
  }
  refuseRepeatedValues(call.type, inputs);
}

function readInput(call: ObjectCall, input: JsonObject): Input {
  const { idProperty } = input;
  if (typeof idProperty !== 'string') {
    throw invalidJson('line 1, column 1. Some required fields were not set: [idProperty]');
  }
  requireUniqueProperty(call.type, idProperty);
  const id = readId(input);
  const isOwnId = !call.type.unique.includes(idProperty);
  const values = normaliseValues({ ...readProperties(input), ...(isOwnId ? {} : { [idProperty]: id }) });
  return { id, idProperty, values, traceId: readTraceId(input) };
}

function check(call: ObjectCall, { id, idProperty, values }: Input, index: number): HubspotError | undefined {
  const existing = findRecord(call.records, id, idProperty);
  // A record id cannot be chosen by the caller.
  if (!existing && !call.type.unique.includes(idProperty)) return recordNotFound();
  return checkWrite(call.records, values, { ownId: existing?.id, refusal: call.refusals.get(index) });
}

function apply(call: ObjectCall, { id, idProperty, values }: Input) {
  const existing = findRecord(call.records, id, idProperty);
  if (!existing) return { ...presentCreated(call, call.records.create(values, call.now)), new: true };
  return { ...presentUpdated(call, call.records.update(existing, values, call.now), values), new: false };
}

const naming = ({ id, traceId }: Input): Record<string, string[]> => ({
  ids: [id],
  ...(traceId === undefined ? {} : { objectWriteTraceId: [traceId] }),
});
