import { retryOf } from '@sluice/errors';
import { callFailure, cleanText, failureClassOf, failureText, recordFailure, saidOtherwise } from '../failures';
import type { HttpOutcome } from '../http-client';
import type { ProviderFailure } from '../results';
import { statedWaitMs } from '../stated-wait';
import { decide, type Signal, type FailureRow } from '../failure-table';
import { callTable, unanswered } from './failure-tables';
import { isRecordId, readErrors, readSaved, type WireError } from './wire';

/** A call that failed. */
export interface FailedCall {
  /** What does not depend on the single error. */
  readonly signal: Signal;
  readonly outcome: HttpOutcome;
  readonly token: string;
  readonly now: number;
}

/** Final classes: nothing changes by sending the same again. */
export function isFinal(failure: ProviderFailure): boolean {
  return retryOf(failure.class) === 'never';
}

/** The call succeeded, or was refused record by record: then the body has an outcome for each. Of several errors in a reply the first decides. */
export function isSuccess(signal: Signal, json: unknown): boolean {
  if (signal.is.includes('batch') && signal.status === 400 && isRefusedEach(json)) return true;
  const [error] = signal.status === 404 ? readErrors(json) : [];
  return decide(callTable, { ...signal, code: error?.code }).class === 'ok';
}

/** A 400 in the form of a collection's 200: one result for each record, and none was written. */
function isRefusedEach(json: unknown): boolean {
  return Array.isArray(json) && json.length > 0 && json.every((item) => readSaved(item)?.success === false);
}

/** Class, wait and text of a call that failed as a whole. */
export function classify({ signal, outcome, token, now }: FailedCall): ProviderFailure {
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const errors = readErrors(reply?.json);
  const row = decideAll(signal, errors, reply?.text ?? saidOtherwise(outcome));
  const failure = callFailure(row, {
    outcome,
    on: signal.on,
    isBatch: signal.is.includes('batch'),
    message: cleanText(messageOf(signal, outcome, errors), token),
    waitMs: statedWaitMs(reply, now) ?? row.waitMs,
    providerRequestId: requestIdOf(reply?.headers ?? {}),
    existingId: existingIdOf(errors),
  });
  return { ...failure, ...refusedForOne(signal, errors) };
}

/** The failure of one record that a 2xx refuses, in a collection or alone. */
export function itemFailure(errors: readonly WireError[], on: Signal['on'], token: string): ProviderFailure {
  if (errors.length === 0) {
    return recordFailure(unanswered.unexplained, 'Salesforce did not write the record and does not say why');
  }
  const row = decideAll({ on, is: ['record', 'json'] }, errors, undefined);
  return recordFailure(row, cleanText(errors.map(sentenceOf).join('; '), token), existingIdOf(errors));
}

/** Salesforce's id of a request, where the edge sends one. */
export function requestIdOf(headers: Readonly<Record<string, string>>): string | undefined {
  const id = headers['x-request-id'] ?? headers['x-sfdc-request-id'];
  return id ? cleanText(id.slice(0, 100)) : undefined;
}

/** The row of each error; one that will not go away decides over those that may. @param text of a reply that is no JSON */
function decideAll(signal: Signal, errors: readonly WireError[], text: string | undefined): FailureRow {
  const signals = errors.map(({ code, message, fields }): Signal => {
    return { ...signal, code, text: message, is: fields.length > 0 ? [...signal.is, 'fields'] : signal.is };
  });
  const rows = (signals.length > 0 ? signals : [{ ...signal, text }]).map(decideInner);
  return (rows.find((row) => retryOf(failureClassOf(row)) === 'never') ?? rows[0]) as FailureRow;
}

/** A code that follows these words in the message of another: what a trigger, a flow or a process met. Of several the last is the innermost. */
const inner = /(?:first error|error occurred): ([A-Z][A-Z0-9_]+)[,:]/g;

function innerCodeOf(message: string): string | undefined {
  return [...message.matchAll(inner)].at(-1)?.[1];
}

/** What a wrapper's message holds decides over the wrapper, except of the account: a trigger may call others than the one that was asked. */
function decideInner(signal: Signal): FailureRow {
  const code = innerCodeOf(signal.text ?? '');
  const row = code === undefined ? undefined : decide(callTable, { ...signal, code, is: [...signal.is, 'wrapped'] });
  const isOfCall = row !== undefined && !row.isLane && row.class !== 'credentials' && row.class !== 'ok';
  return isOfCall ? row : decide(callTable, signal);
}

/** The one record that a duplicate error names; of several none can be meant. */
function existingIdOf(errors: readonly WireError[]): string | undefined {
  const named = errors.flatMap(({ message, duplicateIds }) => {
    // Of a duplicate that a trigger met the record is another one.
    if (innerCodeOf(message) !== undefined) return [];
    const id = /record with id: ([A-Za-z0-9]{15,18})/.exec(message)?.[1];
    return id !== undefined && isRecordId(id) ? [id, ...duplicateIds] : duplicateIds;
  });
  const [only, ...others] = new Set(named);
  return others.length === 0 ? only : undefined;
}

function messageOf({ status = 0 }: Signal, outcome: HttpOutcome, errors: readonly WireError[]): string {
  const lack = status < 300 ? 'with a reply that is unreadable' : 'without a message';
  return failureText('Salesforce', outcome, errors.map(sentenceOf).join('; ') || undefined, lack);
}

/** `CODE: message`, with the fields that the message itself does not name. */
function sentenceOf({ code, message, fields }: WireError): string {
  const unnamed = fields.filter((field) => !message.includes(field));
  const text = [code, message].filter(Boolean).join(': ');
  return unnamed.length > 0 ? `${text} (fields: ${unnamed.join(', ')})` : text;
}

/** Codes of a body that could not be read into records: a value that does not fit its field's type, a field that is not there. */
const unreadable = /^(JSON_PARSER_ERROR|INVALID_FIELD)$/;

/**
 * Whether a collection that was refused whole was refused for a single record. A 400 means that the request is not well formed and is to be sent again
 * with its syntax fixed; whatever is well formed is answered 200, record by record. So nothing of a 400 was written. Other codes speak of the
 * request, its headers or the object, and are no record's fault.
 * Governor limits have a row of the table.
 * Source: Salesforce REST guide, "Create Records Using sObject Collections" (also Update); reference B3, B7.
 */
function refusedForOne(
  { on, status, is }: Signal,
  errors: readonly WireError[],
): Pick<ProviderFailure, 'mayBeOneRecord' | 'refusedFields'> {
  const isWrite = on === 'create' || on === 'update';
  if (!is.includes('batch') || !isWrite || status !== 400 || errors.length === 0) return {};
  if (!errors.every(({ code }) => unreadable.test(code ?? ''))) return {};
  return { mayBeOneRecord: true, refusedFields: [...new Set(errors.flatMap(unknownField))] };
}

/** The field that the object does not have: no record may carry it. */
function unknownField({ code, message }: WireError): string[] {
  const name = code === 'INVALID_FIELD' ? /^No such column '([^']+)' on sobject/.exec(message)?.[1] : undefined;
  return name === undefined ? [] : [name];
}
