import { retryOf } from '@sluice/errors';
import type { ProviderFailure } from '../results';
import { type SignalRow, cleanText, decide, retryAfterMs } from '../signals';
import { type Signal, errorTable, successTable } from './error-table';
import { untold } from './outcome-table';
import { type WireError, isRecordId, readErrors, readSaved } from './wire';

/** What does not depend on the single error. */
export type CallSignal = Omit<Signal, 'code' | 'text' | 'hasFields'>;

/** A failed call: the signal, and what the reply said. */
export interface FailedCall {
  readonly signal: CallSignal;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: unknown;
  /** Of a reply that is no JSON. */
  readonly text?: string;
  /** Of a call without reply: a code or a sentence of ours. */
  readonly reason?: string;
  readonly token: string;
  readonly now: number;
}

/** Final classes: nothing changes by sending the same again. */
export function isFinal(failure: ProviderFailure): boolean {
  return retryOf(failure.class) === 'never';
}

/**
 * The call succeeded, or was refused record by record: then the body tells of each. Of several errors in one reply the first is asked.
 */
export function isSuccess(signal: CallSignal, json: unknown): boolean {
  if (signal.isBatch && signal.status === 400 && isRefusedEach(json)) return true;
  const [error] = signal.status === 404 ? readErrors(json) : [];
  const whole = { ...signal, ...(error?.code !== undefined && { code: error.code }), text: '', hasFields: false };
  return successTable.some(({ matches }) => matches(whole));
}

/** A 400 in the form of a collection's 200: one result for each record, and none was written. */
function isRefusedEach(json: unknown): boolean {
  return Array.isArray(json) && json.length > 0 && json.every((item) => readSaved(item)?.success === false);
}

/** Class, wait and text of a call that failed as a whole. */
export function classify(call: FailedCall): ProviderFailure {
  const { signal, headers } = call;
  const errors = readErrors(call.json);
  const row = decideAll(signal, errors, call.text ?? '');
  const isRead = signal.write === 'read' || signal.write === 'identity';
  const wait = Math.max(row.waitMs ?? 0, retryAfterMs(headers, call.now) ?? 0);
  const providerRequestId = requestIdOf(headers);
  const existingId = row.class === 'conflict' && !signal.isBatch ? existingIdOf(errors) : undefined;
  return {
    class: isRead && row.class === 'unknown' ? 'unavailable' : row.class,
    message: cleanText(messageOf(call, errors), call.token),
    scope: scopeOf(row, signal.isBatch),
    ...refusedForOne(signal, errors),
    ...(signal.status !== undefined && { status: signal.status }),
    ...(wait > 0 && { retryAfterMs: wait }),
    ...(row.triesMax !== undefined && { triesMax: row.triesMax }),
    ...(providerRequestId !== undefined && { providerRequestId }),
    ...(existingId !== undefined && { existingId }),
  };
}

/** The failure of one record that a 2xx refuses, in a collection or alone. */
export function itemFailure(errors: readonly WireError[], write: Signal['write'], token: string): ProviderFailure {
  const signal: CallSignal = { write, isBatch: false, isJson: true };
  if (errors.length === 0) {
    const message = 'Salesforce did not write the record and does not say why';
    return { class: untold.unexplained.class, scope: 'record', message };
  }
  const row = decideAll(signal, errors, '');
  const existingId = row.class === 'conflict' ? existingIdOf(errors) : undefined;
  return {
    class: row.class,
    message: cleanText(errors.map(sentenceOf).join('; '), token),
    scope: row.isLane ? 'lane' : 'record',
    ...(row.waitMs !== undefined && { retryAfterMs: row.waitMs }),
    ...(row.triesMax !== undefined && { triesMax: row.triesMax }),
    ...(existingId !== undefined && { existingId }),
  };
}

/** Salesforce's id of a request, where the edge sends one. */
export function requestIdOf(headers: Readonly<Record<string, string>>): string | undefined {
  const id = headers['x-request-id'] ?? headers['x-sfdc-request-id'];
  return id ? cleanText(id.slice(0, 100)) : undefined;
}

/** An error for itself; one that will not go away decides over those that may. */
function decideAll(signal: CallSignal, errors: readonly WireError[], text: string): SignalRow<Signal> {
  const signals: Signal[] = errors.map(({ code, message, fields }) => ({
    ...signal,
    ...(code !== undefined && { code }),
    text: message,
    hasFields: fields.length > 0,
  }));
  const rows = (signals.length > 0 ? signals : [{ ...signal, text, hasFields: false }]).map((each) =>
    decide(errorTable, each),
  );
  return (rows.find((row) => retryOf(row.class) === 'never') ?? rows[0]) as SignalRow<Signal>;
}

function scopeOf(row: SignalRow<Signal>, isBatch: boolean): ProviderFailure['scope'] {
  if (row.isLane) return 'lane';
  return retryOf(row.class) === 'never' && !isBatch ? 'record' : 'call';
}

/** The one record that a duplicate error names; of several none can be told to be meant. */
function existingIdOf(errors: readonly WireError[]): string | undefined {
  const named = errors.flatMap(({ message, duplicateIds }) => {
    const id = /record with id: ([A-Za-z0-9]{15,18})/.exec(message)?.[1];
    return id !== undefined && isRecordId(id) ? [id, ...duplicateIds] : duplicateIds;
  });
  const [only, ...others] = new Set(named);
  return others.length === 0 ? only : undefined;
}

function messageOf(call: FailedCall, errors: readonly WireError[]): string {
  const { status, fault } = call.signal;
  if (fault === 'not-sent') return `Salesforce could not be reached: ${call.reason ?? 'unknown reason'}`;
  if (status === undefined) return `Salesforce sent no reply: ${call.reason ?? fault ?? 'unknown reason'}`;
  if (errors.length > 0) return errors.map(sentenceOf).join('; ');
  // A page of the edge is no message.
  const said = call.text !== undefined && /^[\w .,:-]{1,100}$/.test(call.text) ? call.text : undefined;
  if (said !== undefined) return `Salesforce answered ${status}: ${said}`;
  const trouble = fault ?? (status < 300 ? 'unreadable' : undefined);
  return `Salesforce answered ${status} ${trouble ? `with a reply that is ${trouble}` : 'without a message'}`;
}

/** `CODE: message`, with the fields that the message itself does not name. */
function sentenceOf({ code, message, fields }: WireError): string {
  const unnamed = fields.filter((field) => !message.includes(field));
  const said = [code, message].filter(Boolean).join(': ');
  return unnamed.length > 0 ? `${said} (fields: ${unnamed.join(', ')})` : said;
}

/** Codes of a body that could not be read into records: a value that does not fit its field's type, a field that is not there. */
const unreadable = /^(JSON_PARSER_ERROR|INVALID_FIELD)$/;

/**
 * What a collection that was refused whole says of single records. A 400 means that the request is not well formed and is to be sent again
 * with its syntax fixed; whatever is well formed is answered 200, record by record. So nothing of a 400 was written. Other codes speak of the
 * request, its headers or the object, and are no record's fault.
 * Source: Salesforce REST guide, "Create Records Using sObject Collections" (also Update); reference B3, B7.
 */
function refusedForOne(
  { write, status, isBatch }: CallSignal,
  errors: readonly WireError[],
): Pick<ProviderFailure, 'mayBeOneRecord' | 'refusedFields'> {
  const isWrite = write === 'create' || write === 'update';
  if (!isBatch || !isWrite || status !== 400 || errors.length === 0) return {};
  if (!errors.every(({ code }) => unreadable.test(code ?? ''))) return {};
  return { mayBeOneRecord: true, refusedFields: [...new Set(errors.flatMap(unknownField))] };
}

/** The field that the object does not have: no record may carry it. */
function unknownField({ code, message }: WireError): string[] {
  const name = code === 'INVALID_FIELD' ? /^No such column '([^']+)' on sobject/.exec(message)?.[1] : undefined;
  return name === undefined ? [] : [name];
}
