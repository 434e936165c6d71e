import type { ApiAction, ApiCall } from './api-call';
import { batchError, batchReply, missingIds, type BatchError } from './batch-reply';
import { checkWrite } from './check-write';
import type { Contact } from './contact';
import { invalid } from './errors';
import { findContact, requireUniqueProperty } from './find-contact';
import { presentUpdated, type WireContact } from './present-contact';
import { readId, readInputs, readJsonObject, readProperties } from './request-body';
import { definitionProblems, normaliseValues, propertiesInvalid } from './validate-properties';

interface Input {
  readonly id: string;
  readonly values: Readonly<Record<string, string>>;
  readonly traceId: string | undefined;
  readonly contact: Contact | undefined;
}

/**
 * `POST /crm/v3/objects/contacts/batch/update`: always partial, 200 or 207, whatever trace ids say.
 * Results are in the order of record ids, not of the inputs: callers have to match by id.
 */
export const batchUpdate: ApiAction = (call) => {
  const inputs = readInputs(readJsonObject(call.bodyText)).map((input): Input => {
    const idProperty = typeof input.idProperty === 'string' ? input.idProperty : undefined;
    requireUniqueProperty(idProperty);
    const id = readId(input);
    const traceId = typeof input.objectWriteTraceId === 'string' ? input.objectWriteTraceId : undefined;
    const values = normaliseValues(readProperties(input));
    return { id, values, traceId, contact: findContact(call.account, id, idProperty) };
  });
  refuseDuplicateIds(inputs.map((input) => input.contact?.id ?? input.id));
  const unknown = inputs.flatMap((input) => definitionProblems(input.values));
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

function updateEach(call: ApiCall, inputs: readonly Input[]) {
  const results: WireContact[] = [];
  const errors: BatchError[] = [];
  for (const [index, input] of inputs.entries()) {
    const { contact, values } = input;
    const refusal = call.refusals.get(index);
    const failure =
      contact || refusal ? checkWrite(call.account, values, { ownId: contact?.id ?? '', refusal }) : undefined;
    if (failure) errors.push(batchError(failure, naming(input), refusal));
    else if (contact) results.push(apply(call, contact, values));
  }
  results.sort((a, b) => Number(a.id) - Number(b.id));
  const refused = (index: number): boolean => call.refusals.has(index);
  return {
    results,
    errors: [...errors, ...missing(inputs.filter(({ contact }, index) => !contact && !refused(index)))],
  };
}

function apply(call: ApiCall, contact: Contact, values: Readonly<Record<string, string>>): WireContact {
  return presentUpdated(call.account.contacts.update(contact, values, call.now), call.account.portalId, values);
}

/** Inputs with a trace id are reported one by one, the others together. */
function missing(inputs: readonly Input[]): BatchError[] {
  const traced = inputs.filter((input) => input.traceId !== undefined);
  const untraced = inputs.filter((input) => input.traceId === undefined).map((input) => input.id);
  return [
    ...traced.map((input) => missingIds([input.id], [input.traceId ?? ''])),
    ...(untraced.length > 0 ? [missingIds(untraced)] : []),
  ];
}

function naming(input: Input): Record<string, string[]> {
  return { ids: [input.id], ...(input.traceId === undefined ? {} : { objectWriteTraceId: [input.traceId] }) };
}
