import type { ApiAction, ApiCall } from './api-call';
import { batchError, batchReply, type BatchError } from './batch-reply';
import { checkWrite } from './check-write';
import type { Contact, StoredAssociation } from './contact';
import { alreadyExists, type HubspotError } from './errors';
import { presentCreated } from './present-contact';
import { uniqueProperties } from './property-definitions';
import { readAssociations, readInputs, readJsonObject, readProperties } from './request-body';
import { definitionProblems, normaliseValues, propertiesInvalid } from './validate-properties';

interface Input {
  readonly values: Readonly<Record<string, string>>;
  readonly associations: readonly StoredAssociation[];
  readonly traceId: string | undefined;
}

/**
 * `POST /crm/v3/objects/contacts/batch/create`.
 * Each input with its own `objectWriteTraceId`: partial success, 201 or 207. Otherwise all or nothing.
 * An unknown or read-only property anywhere refuses the whole call in both modes.
 */
export const batchCreate: ApiAction = (call) => {
  const inputs = readInputs(readJsonObject(call.bodyText)).map((input): Input => {
    const traceId = typeof input.objectWriteTraceId === 'string' ? input.objectWriteTraceId : undefined;
    return { values: normaliseValues(readProperties(input)), associations: readAssociations(input), traceId };
  });
  const unknown = inputs.flatMap((input) => definitionProblems(input.values));
  if (unknown.length > 0) throw propertiesInvalid(unknown);
  return batchReply(call, 201, isPartial(inputs) ? createSome(call, inputs) : createAll(call, inputs));
};

function isPartial(inputs: readonly Input[]): boolean {
  const traceIds = new Set(inputs.map((input) => input.traceId));
  return traceIds.size === inputs.length && !traceIds.has(undefined);
}

function createSome(call: ApiCall, inputs: readonly Input[]) {
  const created: Contact[] = [];
  const errors: BatchError[] = [];
  for (const [index, input] of inputs.entries()) {
    const refusal = call.refusals.get(index);
    const failure = checkWrite(call.account, input.values, { refusal });
    if (failure) errors.push(batchError(failure, naming(input, failure), refusal));
    else created.push(call.account.contacts.create(input.values, call.now, input.associations));
  }
  return { results: created.map((contact) => presentCreated(contact, call.account.portalId)), errors };
}

function createAll(call: ApiCall, inputs: readonly Input[]) {
  for (const [index, input] of inputs.entries()) {
    const failure = checkWrite(call.account, input.values, { refusal: call.refusals.get(index) });
    if (failure) throw withoutExistingId(failure);
  }
  refuseRepeatedValues(inputs);
  const created = inputs.map((input) => call.account.contacts.create(input.values, call.now, input.associations));
  return { results: created.map((contact) => presentCreated(contact, call.account.portalId)), errors: [] };
}

/** Two inputs of one all-or-nothing call that want the same unique value. */
function refuseRepeatedValues(inputs: readonly Input[]): void {
  for (const property of uniqueProperties) {
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
