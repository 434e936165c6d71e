import { retryOf } from '@sluice/errors';
import type { ProviderFailure } from '../results';
import { cleanText, retryAfterMs, decide, type SignalRow } from '../signals';
import { errorTable, type Signal } from './error-table';
import { itemTable, policyWaitMs } from './item-table';
import { isTakenValue, takenBy } from './property-problems';
import { refusedFieldsOf } from './refused-fields';
import { isJson, textOf, textsOf, type Json, type WireError } from './wire';

/** Most causes that a text names. [own] */
const causesMax = 5;

/** A failed call: the signal, and what the reply said. */
export interface FailedCall {
  readonly signal: Signal;
  readonly isBatch: boolean;
  /** @default false */
  readonly isSearch?: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: unknown;
  /** Of a call without reply: a code or a sentence of ours. */
  readonly reason?: string;
  readonly token: string;
  readonly now: number;
}

/** Class, wait and text of a call that failed as a whole. The one reader of the table. */
export function classify(call: FailedCall): ProviderFailure {
  const { headers, now } = call;
  const body = isJson(call.json) ? call.json : {};
  const signal = { ...call.signal, isTakenValue: isTakenValue(textOf(body['message']) ?? '') };
  const row = decide(errorTable, signal);
  const failureClass = signal.write === 'read' && row.class === 'unknown' ? 'unavailable' : row.class;
  const wait = retryAfterMs(headers, now) ?? (row.class === 'quota' ? policyWait(body, headers) : undefined);
  const waitMs = row.waitMs === undefined ? wait : Math.max(row.waitMs, wait ?? 0);
  const providerRequestId = requestIdOf(headers, body);
  const existingId = row.class === 'conflict' && !call.isBatch ? existingIdOf(body) : undefined;
  return {
    class: failureClass,
    message: cleanText(messageOf(call, body), call.token),
    scope: row.isLane && isSearchLimit(call, body) ? 'search' : scopeOf(row, call.isBatch),
    ...(mayBeOneRecord(call, body) && { mayBeOneRecord: true, refusedFields: refusedFieldsOf(body) }),
    ...(signal.status !== undefined && { status: signal.status }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    ...(row.triesMax !== undefined && { triesMax: row.triesMax }),
    ...(providerRequestId !== undefined && { providerRequestId }),
    ...(existingId !== undefined && { existingId }),
  };
}

/**
 * A batch is refused whole for one record with an unknown or read-only property, a nested value, an id that stands twice
 * (reference A3), or for its size. An object that HubSpot does not know is no record's fault.
 */
function mayBeOneRecord({ signal, isBatch }: FailedCall, body: Json): boolean {
  if (!isBatch || signal.write === 'read') return false;
  return signal.status === 413 || (signal.status === 400 && !/infer object type/i.test(textOf(body['message']) ?? ''));
}

/** The failure of one record in a batch that succeeded in part. */
export function itemFailure(error: WireError, write: 'create' | 'update', token: string): ProviderFailure {
  const { category, message } = error;
  const row = decide(itemTable, { write, category, message, isTakenValue: isTakenValue(message) });
  const existingId = row.class === 'conflict' ? existingIdOf({ ...error }) : undefined;
  return {
    class: row.class,
    message: cleanText(message || category || 'HubSpot refused the record', token),
    scope: 'record',
    ...(row.waitMs !== undefined && { retryAfterMs: row.waitMs }),
    ...(existingId !== undefined && { existingId }),
  };
}

/** HubSpot's id of a request; also sent with successes. */
export function requestIdOf(headers: Readonly<Record<string, string>>, body: Json): string | undefined {
  const id = textOf(body['correlationId']) ?? textOf(headers['x-hubspot-correlation-id']) ?? textOf(body['requestId']);
  return id === undefined ? undefined : cleanText(id.slice(0, 100), '');
}

function scopeOf(row: SignalRow<Signal>, isBatch: boolean): ProviderFailure['scope'] {
  if (row.isLane) return 'lane';
  return retryOf(row.class) === 'never' && !isBatch ? 'record' : 'call';
}

function policyWait(body: Json, headers: Readonly<Record<string, string>>): number {
  return policyWaitMs[policyOf(body, headers) ?? 'TEN_SECONDLY_ROLLING'];
}

/** The policy that a 429 names. */
function policyOf(body: Json, headers: Readonly<Record<string, string>>): keyof typeof policyWaitMs | undefined {
  const said = `${textOf(body['policyName']) ?? ''} ${textOf(body['message']) ?? ''}`.toUpperCase();
  if (said.includes('DAILY') || headers['x-hubspot-ratelimit-daily-remaining'] === '0') return 'DAILY';
  // The ten-second policy's name contains the other's, so it is asked first.
  if (said.includes('TEN_SECONDLY')) return 'TEN_SECONDLY_ROLLING';
  return said.includes('SECONDLY') ? 'SECONDLY' : undefined;
}

/**
 * The one limit by the second is that of search, and its group says so: `publicapi:crm:search`. Whatever another policy refuses, and what
 * names none, speaks of the whole account, whichever call met it. Source: reference A5, A8.
 */
function isSearchLimit({ isSearch, headers }: FailedCall, body: Json): boolean {
  const ofSearch = isSearch === true || (textOf(body['groupName']) ?? '').includes('search');
  return ofSearch && policyOf(body, headers) === 'SECONDLY';
}

function existingIdOf(body: Json): string | undefined {
  const context = isJson(body['context']) ? body['context'] : {};
  const [id] = textsOf(context['existingId']).filter((text) => /^\d+$/.test(text));
  const message = textOf(body['message']) ?? '';
  return id ?? /Existing ID: (\d+)/.exec(message)?.[1] ?? takenBy(message);
}

function messageOf(call: FailedCall, body: Json): string {
  const { status, fault } = call.signal;
  if (fault === 'not-sent') return `HubSpot could not be reached: ${call.reason ?? 'unknown reason'}`;
  if (status === undefined) return `HubSpot sent no reply: ${call.reason ?? fault ?? 'unknown reason'}`;
  const said = textOf(body['message']);
  const trouble = fault ?? (status < 300 ? 'unreadable' : undefined);
  if (said === undefined) {
    return `HubSpot answered ${status} ${trouble ? `with a reply that is ${trouble}` : 'without a message'}`;
  }
  const scopes = missingScopes(body);
  if (scopes.length > 0) return `${said} (missing scopes: ${scopes.join(', ')})`;
  // Of a batch the causes may be another caller's.
  return call.isBatch ? said : [said, ...causesOf(body, said)].join(' ');
}

/** "There was a problem with the request." says nothing; what was wrong stands in `errors[]`. Source: reference A7. */
function causesOf(body: Json, said: string): string[] {
  const errors = Array.isArray(body['errors']) ? body['errors'].filter(isJson) : [];
  const causes = errors.map((error) => textOf(error['message'])).filter((text) => text !== undefined);
  return [...new Set(causes)].filter((text) => !said.includes(text)).slice(0, causesMax);
}

function missingScopes(body: Json): string[] {
  const errors = Array.isArray(body['errors']) ? body['errors'].filter(isJson) : [];
  const contexts = [body, ...errors].map((holder) => holder['context']).filter(isJson);
  return [...new Set(contexts.flatMap((context) => textsOf(context['requiredGranularScopes'])))];
}
