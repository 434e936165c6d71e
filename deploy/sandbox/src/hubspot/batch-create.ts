import type { Action, ObjectCall } from './api-call';
import { readAssociations, checkLinks, makeLinks, type InputLink } from './associations';
import { batchError, batchReply, type BatchError } from './batch-reply';
import { checkWrite, readInputs, readJsonObject, readProperties, readTraceId } from './request-body';
import { alreadyExists, type HubspotError } from './wire-reply';
import type { ObjectType } from './objects/object-type';
import { presentCreated, type WireRecord } from './present-record';
import { definitionProblems, normaliseValues, propertiesInvalid } from './validate-properties';

interface Input {
  readonly values: Readonly<Record<string, string>>;
  readonly links: readonly InputLink[];
  readonly traceId: string | undefined;
}

/**
 * `POST /crm/v3/objects/{T}/batch/create`.
 * Each input with its own `objectWriteTraceId`: partial success, 201 or 207. Otherwise all or nothing.
 * An unknown or read-only property anywhere refuses the whole call in both modes.
 */
export const batchCreate: Action<ObjectCall> = (call) => {
  const inputs = readInputs(readJsonObject(call.bodyText)).map((input): Input => ({
    values: normaliseValues(readProperties(input)),
    links: readAssociations(input),
    traceId: readTraceId(input),
  }));
  const unknown = inputs.flatMap((input) => definitionProblems(call.type, input.values));
  if (unknown.length > 0) throw propertiesInvalid(unknown);
  return batchReply(call, 201, isPartial(inputs) ? createSome(call, inputs) : createAll(call, inputs));
};

/** Whether every input has a trace id of its own, which is what asks HubSpot for partial success. */
export function isPartial(inputs: readonly { readonly traceId: string | undefined }[]): boolean {
  const traceIds = new Set(inputs.map((input) => input.traceId));
  return traceIds.size === inputs.length && !traceIds.has(undefined);
}

function createSome(call: ObjectCall, inputs: readonly Input[]) {
  const results: WireRecord[] = [];
  const errors: BatchError[] = [];
  for (const [index, input] of inputs.entries()) {
    const failure = check(call, input, index);
    if (failure) errors.push(batchError(failure, naming(input, failure), call.refusals.get(index)));
    else results.push(create(call, input));
  }
  return { results, errors };
}

function createAll(call: ObjectCall, inputs: readonly Input[]) {
  for (const [index, input] of inputs.entries()) {
    const failure = check(call, input, index);
    if (failure) throw withoutExistingId(failure);
  }
  refuseRepeatedValues(call.type, inputs);
  return { results: inputs.map((input) => create(call, input)), errors: [] };
}

function check(call: ObjectCall, { values, links }: Input, index: number): HubspotError | undefined {
  const failure = checkWrite(call.records, values, { refusal: call.refusals.get(index) });
  return failure ?? checkLinks(call.data, call.type, links);
}

function create(call: ObjectCall, { values, links }: Input): WireRecord {
  const record = call.records.create(values, call.now);
  makeLinks(call.data, record.id, links);
  return presentCreated(call, record);
}

/** Two inputs of one all-or-nothing call that want the same unique value. */
export function refuseRepeatedValues({ unique }: ObjectType, inputs: readonly Pick<Input, 'values'>[]): void {
  for (const property of unique) {
    const wanted = inputs.flatMap(({ values }) => (values[property] ? [values[property].toLowerCase()] : []));
    if (new Set(wanted).size < wanted.length) throw alreadyExists();
  }
}

function naming(input: Input, failure: HubspotError): Record<string, string[]> {
  const existing = /Existing ID: (\d+)/.exec(failure.fields.message)?.[1];
  return { objectWriteTraceId: [input.traceId ?? ''], ...(existing ? { existingId: [existing] } : {}) };
}

/** Recorded: without trace ids a batch does not say which contact is in the way. */
function withoutExistingId(failure: HubspotError): HubspotError {
  return failure.status === 409 && failure.fields.category === 'CONFLICT' ? alreadyExists() : failure;
}
