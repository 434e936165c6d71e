import { retryOf } from '@sluice/errors';
import type { ProviderFailure } from '../results';
import { errorTable, type Row, type Signal } from './error-table';
import { cleanText } from '../failure-text';
import { refusedFieldsOf } from './refused-fields';
import { retryAfterMs } from '../retry-after';
import { isJson, textOf, textsOf, type Json, type WireError } from './wire';

/** Waits per 429 policy, in milliseconds. HubSpot sends no Retry-After with them. Source: reference A8. */
const policyWaitMs = { SECONDLY: 1_000, TEN_SECONDLY_ROLLING: 10_000, DAILY: 15 * 60_000 };

/** Most causes that a text names. [own] */
const causesMax = 5;

/** A failed call: the signal, and what the reply said. */
export interface FailedCall {
  readonly signal: Signal;
  readonly isBatch: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: unknown;
  /** Of a call without reply: a code or a sentence of ours. */
  readonly reason?: string;
  readonly token: string;
  readonly now: number;
}

/** Class, wait and text of a call that failed as a whole. The one reader of the table. */
export function classify(call: FailedCall): ProviderFailure {
  const { signal, headers, now } = call;
  const row = rowOf(signal);
  const body = isJson(call.json) ? call.json : {};
  const failureClass = signal.write === 'read' && row.class === 'unknown' ? 'unavailable' : row.class;
  const wait = retryAfterMs(headers, now) ?? (row.class === 'quota' ? policyWait(body, headers) : undefined);
  const waitMs = row.waitMs === undefined ? wait : Math.max(row.waitMs, wait ?? 0);
  const providerRequestId = requestIdOf(headers, body);
  const existingId = row.class === 'conflict' && !call.isBatch ? existingIdOf(body) : undefined;
  return {
    class: failureClass,
    message: cleanText(messageOf(call, body), call.token),
    scope: scopeOf(row, call.isBatch),
    ...(mayBeOneRecord(call, body) && { mayBeOneRecord: true, refusedFields: refusedFieldsOf(body) }),
    ...(signal.status !== undefined && { status: signal.status }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
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

/** Categories of `errors[]` in a 2xx batch reply. Source: reference 1a and A7. */
const itemClasses: Readonly<Record<string, ProviderFailure['class']>> = {
  VALIDATION_ERROR: 'rejected',
  CONFLICT: 'conflict',
  OBJECT_ALREADY_EXISTS: 'conflict',
  OBJECT_NOT_FOUND: 'not-found',
  MISSING_SCOPES: 'forbidden',
  BANNED: 'forbidden',
  RATE_LIMITS: 'unknown',
  INTERNAL_ERROR: 'unknown',
};
/** Text of a server's trouble, where the category is none of the above. */
const serverTrouble = /internal|server error|time(d )?out|unavailable|temporar|try again|gateway/i;

/** The failure of one record in a batch that succeeded in part. */
export function itemFailure(error: WireError, write: 'create' | 'update', token: string): ProviderFailure {
  const known = error.category === undefined ? undefined : itemClasses[error.category];
  const itemClass = known ?? (serverTrouble.test(error.message) ? 'unknown' : 'rejected');
  // What a create does not find is its association's target or an owner, never the record itself.
  const failureClass = itemClass === 'not-found' && write === 'create' ? 'rejected' : itemClass;
  const existingId = failureClass === 'conflict' ? existingIdOf({ ...error }) : undefined;
  return {
    class: failureClass,
    message: cleanText(error.message || error.category || 'HubSpot refused the record', token),
    scope: 'record',
    ...(error.category === 'RATE_LIMITS' && { retryAfterMs: policyWaitMs.TEN_SECONDLY_ROLLING }),
    ...(existingId !== undefined && { existingId }),
  };
}

/** HubSpot's id of a request; also sent with successes. */
export function requestIdOf(headers: Readonly<Record<string, string>>, body: Json): string | undefined {
  const id = textOf(body['correlationId']) ?? textOf(headers['x-hubspot-correlation-id']) ?? textOf(body['requestId']);
  return id === undefined ? undefined : cleanText(id.slice(0, 100), '');
}

function rowOf(signal: Signal): Row {
  const row = errorTable.find((candidate) => candidate.matches(signal));
  if (!row) throw new RangeError('the last row of the error table matches everything');
  return row;
}

function scopeOf(row: Row, isBatch: boolean): ProviderFailure['scope'] {
  if (row.isLane) return 'lane';
  return retryOf(row.class) === 'never' && !isBatch ? 'record' : 'call';
}

function policyWait(body: Json, headers: Readonly<Record<string, string>>): number {
  const said = `${textOf(body['policyName']) ?? ''} ${textOf(body['message']) ?? ''}`.toUpperCase();
  if (said.includes('DAILY') || headers['x-hubspot-ratelimit-daily-remaining'] === '0') return policyWaitMs.DAILY;
  // The ten-second policy's name contains the other's, so it is asked first.
  if (said.includes('TEN_SECONDLY')) return policyWaitMs.TEN_SECONDLY_ROLLING;
  return said.includes('SECONDLY') ? policyWaitMs.SECONDLY : policyWaitMs.TEN_SECONDLY_ROLLING;
}

function existingIdOf(body: Json): string | undefined {
  const context = isJson(body['context']) ? body['context'] : {};
  const [id] = textsOf(context['existingId']).filter((text) => /^\d+$/.test(text));
  return id ?? /Existing ID: (\d+)/.exec(textOf(body['message']) ?? '')?.[1];
}

function messageOf(call: FailedCall, body: Json): string {
  const { status, fault } = call.signal;
  if (fault === 'not-sent') return `HubSpot could not be reached: ${call.reason ?? 'unknown reason'}`;
  if (status === undefined) return `HubSpot sent no reply: ${call.reason ?? fault ?? 'unknown reason'}`;
  const said = textOf(body['message']);
  if (said === undefined)
    return `HubSpot answered ${status} ${fault ? `with a reply that is ${fault}` : 'without a message'}`;
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
