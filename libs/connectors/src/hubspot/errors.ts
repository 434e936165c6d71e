import { callFailure, cleanText, failureText, recordFailure, saidOtherwise } from '../failures';
import type { HttpOutcome } from '../http-client';
import { type Json, isJson, listOf, textOf } from '../json';
import type { ProviderFailure } from '../results';
import { statedWaitMs } from '../stated-wait';
import { type Signal, decide, passingRows, propertiesOf } from '../failure-table';
import { callTable, policyWaitMs, recordTable } from './failure-tables';
import { type WireError, textsOf } from './wire';

/** Most causes that a text names. [own] */
const causesMax = 5;

/** A call that failed. */
export interface FailedCall {
  readonly signal: Signal;
  readonly outcome: HttpOutcome;
  readonly isBatch: boolean;
  readonly isSearch: boolean;
  readonly token: string;
  readonly now: number;
}

/** For what is said of values: it quotes them, so no word of it says that the refusal passes. */
const valuesTable = callTable.filter((row) => !passingRows.includes(row));

/** Class, wait and text of a call that failed as a whole. */
export function classify(call: FailedCall): ProviderFailure {
  const { signal, outcome, isBatch } = call;
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const body = isJson(reply?.json) ? reply.json : {};
  const headers = reply?.headers ?? {};
  const text = textOf(body['message']) ?? saidOtherwise(outcome) ?? '';
  const code = textOf(body['category']);
  const is = propertiesOf({ taken: isTakenValue(text), sensitive: isSensitive(missingScopes(body)) });
  const table = code === 'VALIDATION_ERROR' ? valuesTable : callTable;
  const row = decide(table, { ...signal, code, text, is: [...signal.is, ...is] });
  const policyWait = row.class === 'quota' ? policyWaitMs[policyOf(body, headers) ?? 'TEN_SECONDLY_ROLLING'] : 0;
  const failure = callFailure(row, {
    outcome,
    on: signal.on,
    isBatch,
    message: cleanText(messageOf(call, body), call.token),
    waitMs: Math.max(row.waitMs ?? 0, statedWaitMs(reply, call.now) ?? policyWait),
    providerRequestId: requestIdOf(headers, body),
    existingId: existingIdOf(body),
  });
  return {
    ...failure,
    ...(row.isLane && isSearchLimit(call, body) && { scope: 'search' }),
    ...(failure.mayBeOneRecord && { refusedFields: refusedFieldsOf(body) }),
  };
}

/** The failure of one record in a batch that succeeded in part. */
export function itemFailure(error: WireError, write: 'create' | 'update', token: string): ProviderFailure {
  const { category, message } = error;
  const is = propertiesOf({ record: true, taken: isTakenValue(message) });
  const row = decide(recordTable, { on: write, code: category, text: message, is });
  const text = cleanText(message || category || 'HubSpot refused the record', token);
  return recordFailure(row, text, existingIdOf({ ...error }));
}

/** HubSpot's id of a request; also sent with successes. */
export function requestIdOf(headers: Readonly<Record<string, string>>, json: unknown): string | undefined {
  const body = isJson(json) ? json : {};
  const id = textOf(body['correlationId']) ?? textOf(headers['x-hubspot-correlation-id']) ?? textOf(body['requestId']);
  return id === undefined ? undefined : cleanText(id.slice(0, 100));
}

/** The policy that a 429 names. */
function policyOf(body: Json, headers: Readonly<Record<string, string>>): keyof typeof policyWaitMs | undefined {
  const message = `${textOf(body['policyName']) ?? ''} ${textOf(body['message']) ?? ''}`.toUpperCase();
  if (message.includes('DAILY') || headers['x-hubspot-ratelimit-daily-remaining'] === '0') return 'DAILY';
  // The ten-second policy's name contains the other's, so it is tested first.
  if (message.includes('TEN_SECONDLY')) return 'TEN_SECONDLY_ROLLING';
  return message.includes('SECONDLY') ? 'SECONDLY' : undefined;
}

/**
 * The one limit by the second is that of search, and its group says so: `publicapi:crm:search`. Whatever another policy refuses, and what
 * names none, concerns the whole account, whichever call met it. Source: reference A5, A8.
 */
function isSearchLimit({ isSearch, outcome }: FailedCall, body: Json): boolean {
  const headers = outcome.kind === 'reply' ? outcome.reply.headers : {};
  return (isSearch || textOf(body['groupName'])?.includes('search') === true) && policyOf(body, headers) === 'SECONDLY';
}

function existingIdOf(body: Json): string | undefined {
  const context = isJson(body['context']) ? body['context'] : {};
  const [id] = textsOf(context['existingId']).filter((text) => /^\d+$/.test(text));
  const message = textOf(body['message']) ?? '';
  return id ?? /Existing ID: (\d+)/.exec(message)?.[1] ?? takenBy(message);
}

function messageOf({ signal, outcome, isBatch }: FailedCall, body: Json): string {
  const message = textOf(body['message']);
  const scopes = missingScopes(body);
  // Of a batch the causes may be another caller's.
  const causes = isBatch || message === undefined ? [] : causesOf(body, message);
  const ending = scopes.length > 0 ? [`(missing scopes: ${scopes.join(', ')})`] : causes;
  const lack = (signal.status ?? 0) < 300 ? 'with a reply that is unreadable' : 'without a message';
  return failureText('HubSpot', outcome, message && [message, ...ending].join(' '), lack);
}

/** "There was a problem with the request." says nothing; the problem is in `errors[]`. Source: reference A7. */
function causesOf(body: Json, message: string): string[] {
  const causes = listOf(body['errors']).flatMap((error) => textOf(error['message']) ?? []);
  return [...new Set(causes)].filter((text) => !message.includes(text)).slice(0, causesMax);
}

function missingScopes(body: Json): string[] {
  const contexts = [body, ...listOf(body['errors'])].map((holder) => holder['context']).filter(isJson);
  return [...new Set(contexts.flatMap((context) => textsOf(context['requiredGranularScopes'])))];
}

/** Only what sensitive properties need is missing: records without such a property need none of it. */
function isSensitive(scopes: readonly string[]): boolean {
  return scopes.length > 0 && scopes.every((scope) => scope.includes('sensitive'));
}

/** The code of a value that another record has in a property that the account keeps unique. Source: reference A2; open-source clients. */
const takenCode = 'CONFLICTING_UNIQUE_VALUE';
/** Codes of a property that no record may carry, whatever its value. Source: reference A7. */
const refusedCodes = new Set(['PROPERTY_DOESNT_EXIST', 'READ_ONLY_VALUE']);

/** Problems with single properties, in the JSON list inside a VALIDATION_ERROR's message. Empty when it holds none. Source: reference A7. */
function problemsIn(message: string): Json[] {
  const from = message.indexOf('[');
  if (from < 0) return [];
  try {
    return listOf(JSON.parse(message.slice(from, message.lastIndexOf(']') + 1)));
  } catch {
    return [];
  }
}

/** The refusal is a conflict: every problem it names is a value that another record has. */
function isTakenValue(message: string): boolean {
  const problems = problemsIn(message);
  return problems.length > 0 && problems.every(({ error }) => error === takenCode);
}

/** The record that has the value, where the text names one: `171590000001 already has that value.` */
function takenBy(message: string): string | undefined {
  const ids = problemsIn(message).flatMap(
    (problem) => /^(\d+) already has/.exec(textOf(problem['message']) ?? '')?.[1] ?? [],
  );
  const [only, ...others] = new Set(ids);
  return others.length === 0 ? only : undefined;
}

/**
 * Properties that a refused batch names as unknown or read-only: in the JSON list inside the message, and in `errors[]`. Empty when it
 * names none. Source: reference A3, A7.
 */
export function refusedFieldsOf(body: Json): string[] {
  const inMessage = problemsIn(textOf(body['message']) ?? '').map(({ error, name }) => ({ code: error, name }));
  const inErrors = listOf(body['errors']).map(({ code, context }) => {
    const names: unknown = isJson(context) ? context['propertyName'] : undefined;
    return { code, name: Array.isArray(names) ? (names[0] as unknown) : undefined };
  });
  const named = [...inMessage, ...inErrors].filter(({ code }) => refusedCodes.has(textOf(code) ?? ''));
  return [...new Set(named.flatMap(({ name }) => textOf(name) ?? []))];
}
