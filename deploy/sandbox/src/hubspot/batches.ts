import { stringsIn, type JsonObject } from '../crm/json-body';
import { readLinks } from './associations';
import { batchReply, firstFailure, inputsOf, readId, readInputs, refuseDuplicateIds, runEach } from './batch';
import { alreadyExists, fieldMissing, missingIds, recordNotFound, type BatchError, type HubspotError } from './errors';
import type { CrmRecord, ObjectType } from './object-type';
import type { Action, ObjectCall } from './portal-data';
import { presentRead, type WireRecord } from './present-record';
import {
  checkValues,
  normaliseEmail,
  readJsonObject,
  readProperties,
  requireWritable,
  type Values,
} from './properties';
import {
  archive,
  byId,
  checkNew,
  create,
  findRecord,
  requireUniqueProperty,
  update,
  type NewRecord,
} from './single-records';

/** `objectWriteTraceId` of an input: with one of its own on each, HubSpot allows partial success. */
interface Traced {
  readonly traceId: string | undefined;
}

const readTraceId = ({ objectWriteTraceId }: JsonObject): string | undefined =>
  typeof objectWriteTraceId === 'string' ? objectWriteTraceId : undefined;

function isPartial(inputs: readonly Traced[]): boolean {
  const traceIds = new Set(inputs.map((input) => input.traceId));
  return traceIds.size === inputs.length && !traceIds.has(undefined);
}

type CreateInput = NewRecord & Traced;

/**
 * `POST /crm/v3/objects/{T}/batch/create`.
 * Each input with its own `objectWriteTraceId`: partial success, 201 or 207. Otherwise all or nothing.
 * An unknown or read-only property anywhere refuses the whole call in both modes. Results are in no order that callers may count on: here the
 * last comes first (docs/providers/field-reports.md, H1).
 */
export const batchCreate: Action<ObjectCall> = (call) => {
  const inputs = readInputs(call.bodyText).map((input): CreateInput => ({
    values: readProperties(input),
    links: readLinks(input),
    traceId: readTraceId(input),
  }));
  requireWritable(call.type, inputs);
  const check = (input: CreateInput) => checkNew(call, input);
  if (!isPartial(inputs)) {
    const failure = firstFailure(call, inputs, check);
    if (failure) throw withoutExistingId(failure);
    refuseRepeatedValues(call.type, inputs);
  }
  const apply = (input: CreateInput) => [create(call, input)];
  const { results, errors } = runEach(call, inputs, { check, apply, naming: namingOfNew });
  return batchReply(call, 201, { results: results.toReversed(), errors });
};

function namingOfNew({ traceId = '' }: CreateInput, { fields }: HubspotError): Record<string, string[]> {
  const existing = /Existing ID: (\d+)/.exec(fields.message)?.[1];
  return { objectWriteTraceId: [traceId], ...(existing ? { existingId: [existing] } : {}) };
}

/** Recorded: without trace ids a batch does not name the contact that is in the way. */
function withoutExistingId(failure: HubspotError): HubspotError {
  return failure.status === 409 && failure.fields.category === 'CONFLICT' ? alreadyExists() : failure;
}

/** Two inputs of one all-or-nothing call that want the same unique value. */
function refuseRepeatedValues({ unique }: ObjectType, inputs: readonly { readonly values: Values }[]): void {
  for (const property of unique) {
    const wanted = inputs.flatMap(({ values }) => (values[property] ? [values[property].toLowerCase()] : []));
    if (new Set(wanted).size < wanted.length) throw alreadyExists();
  }
}

interface UpdateInput extends Traced {
  readonly id: string;
  readonly values: Values;
  readonly record: CrmRecord | undefined;
}

/**
 * `POST /crm/v3/objects/{T}/batch/update`: always partial, 200 or 207, whatever the trace ids are.
 * Results are in the order of record ids, not of the inputs: callers have to match by id.
 */
export const batchUpdate: Action<ObjectCall> = (call) => {
  const { type, data } = call;
  const inputs = readInputs(call.bodyText).map((input): UpdateInput => {
    const idProperty = typeof input.idProperty === 'string' ? input.idProperty : undefined;
    requireUniqueProperty(type, idProperty);
    const id = readId(input);
    const values = readProperties(input);
    return { id, values, traceId: readTraceId(input), record: findRecord(call, id, idProperty) };
  });
  refuseDuplicateIds(inputs.map((input) => input.record?.id ?? input.id));
  requireWritable(type, inputs);
  const { results, errors } = runEach<UpdateInput, WireRecord>(call, inputs, {
    check: ({ record, values }) => record && checkValues(data, type, values, record.id),
    apply: ({ record, values }) => (record ? [update(call, record, values)] : []),
    naming,
  });
  const absent = inputs.filter(({ record }, index) => !record && !call.refusals.has(index));
  return batchReply(call, 200, { results: results.toSorted(byId), errors: [...errors, ...missing(type, absent)] });
};

/** Inputs with a trace id are reported one by one, the others together. */
function missing(type: ObjectType, inputs: readonly UpdateInput[]): BatchError[] {
  const untraced = inputs.filter((input) => input.traceId === undefined).map((input) => input.id);
  return [
    ...inputs.flatMap(({ id, traceId }) => (traceId === undefined ? [] : [missingIds(type, [id], [traceId])])),
    ...(untraced.length > 0 ? [missingIds(type, untraced)] : []),
  ];
}

const naming = ({ id, traceId }: { readonly id: string } & Traced): Record<string, string[]> => ({
  ids: [id],
  ...(traceId === undefined ? {} : { objectWriteTraceId: [traceId] }),
});

interface UpsertInput extends Traced {
  readonly id: string;
  readonly idProperty: string;
  /** With the unique value itself, which a new record takes over. */
  readonly values: Values;
}

/**
 * `POST /crm/v3/objects/{T}/batch/upsert` by a unique property -> 200 or 207; `new` is true for a created record.
 * Partial with a trace id of its own on each input, but never by email (docs/contributing/providers.md, A3); otherwise all or nothing.
 */
export const batchUpsert: Action<ObjectCall> = (call) => {
  const inputs = readInputs(call.bodyText).map((input) => readUpsert(call.type, input));
  refuseDuplicateIds(inputs.map(({ id }) => id.toLowerCase()));
  requireWritable(call.type, inputs);
  const check = (input: UpsertInput) => checkUpsert(call, input);
  if (!isPartial(inputs) || inputs.some(({ idProperty }) => idProperty === 'email')) {
    const failure = firstFailure(call, inputs, check);
    if (failure) throw failure;
    refuseRepeatedValues(call.type, inputs);
  }
  const apply = (input: UpsertInput) => [upsert(call, input)];
  return batchReply(call, 200, runEach<UpsertInput, WireRecord>(call, inputs, { check, apply, naming }));
};

function readUpsert(type: ObjectType, input: JsonObject): UpsertInput {
  const { idProperty } = input;
  if (typeof idProperty !== 'string') throw fieldMissing('idProperty');
  requireUniqueProperty(type, idProperty);
  const id = readId(input);
  const isRecordId = !type.unique.includes(idProperty);
  const values = normaliseEmail({ ...readProperties(input), ...(isRecordId ? {} : { [idProperty]: id }) });
  return { id, idProperty, values, traceId: readTraceId(input) };
}

function checkUpsert(call: ObjectCall, { id, idProperty, values }: UpsertInput): HubspotError | undefined {
  const { data, type } = call;
  const existing = findRecord(call, id, idProperty);
  // A record id cannot be chosen by the caller.
  if (!existing && !type.unique.includes(idProperty)) return recordNotFound();
  return checkValues(data, type, values, existing?.id);
}

function upsert(call: ObjectCall, { id, idProperty, values }: UpsertInput): WireRecord & { readonly new: boolean } {
  const existing = findRecord(call, id, idProperty);
  if (existing) return { ...update(call, existing, values), new: false };
  return { ...create(call, { values, links: [] }), new: true };
}

/**
 * `POST /crm/v3/objects/{T}/batch/read`: by record id, or by `idProperty`. 200, or 207 that names what is missing.
 * Reads the records themselves: no index lag. Results are in the order of record ids.
 */
export const batchRead: Action<ObjectCall> = (call) => {
  const body = readJsonObject(call.bodyText);
  const ids = inputsOf(body).map(readId);
  const idProperty = typeof body.idProperty === 'string' ? body.idProperty : undefined;
  requireUniqueProperty(call.type, idProperty);
  refuseDuplicateIds(idProperty === undefined ? ids : ids.map((id) => id.toLowerCase()));
  const found = ids.map((id) => ({ id, record: findRecord(call, id, idProperty) }));
  const records = found.flatMap(({ record }) => (record ? [record] : []));
  const absent = found.filter(({ record }) => !record).map(({ id }) => id);
  const requested = stringsIn(body.properties);
  return batchReply(call, 200, {
    results: records.toSorted(byId).map((record) => presentRead(call, record, requested)),
    errors: absent.length > 0 ? [missingIds(call.type, absent)] : [],
  });
};

/** `POST /crm/v3/objects/{T}/batch/archive` -> 204. All or nothing where an input is refused by script. */
export const batchArchive: Action<ObjectCall> = (call) => {
  const ids = readInputs(call.bodyText).map(readId);
  const failure = firstFailure(call, ids, () => undefined);
  if (failure) throw failure;
  archive(call, ids);
  return { status: 204 };
};
