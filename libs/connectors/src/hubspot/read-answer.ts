import type { HttpOutcome } from '../http-client';
import type { ObservedExchange } from '../requests';
import { successTable, type Signal } from './error-table';
import { classify, requestIdOf } from './errors';
import { isBatch, writes, type HubspotAnswer, type HubspotRequest } from './hubspot-request';
import { quotaOf } from './quota-headers';
import { isJson } from './wire';

/** The body of a success, or the class of what went wrong. */
export function readAnswer(outcome: HttpOutcome, request: HubspotRequest, token: string): HubspotAnswer {
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const fault = faultOf(outcome);
  const headers = reply?.headers ?? {};
  const signal: Signal = {
    write: writes[request.operation],
    isKeyed: request.isKeyed ?? false,
    isJson: isJson(reply?.json),
    ...(fault && { fault }),
    ...(reply && { status: reply.status }),
  };
  if (successTable.some(({ matches }) => matches(signal))) {
    return { ok: true, body: isJson(reply?.json) ? reply.json : {} };
  }
  const failure = classify({
    signal,
    isBatch: isBatch(request),
    isSearch: request.operation === 'search',
    headers,
    json: reply?.json,
    ...(outcome.kind !== 'reply' && { reason: outcome.reason }),
    token,
    now: Date.now(),
  });
  return { ok: false, failure };
}

function faultOf(outcome: HttpOutcome): Signal['fault'] {
  if (outcome.kind === 'not-sent') return 'not-sent';
  return outcome.kind === 'no-reply' ? outcome.fault : outcome.reply.fault;
}

/** What the attempt's row keeps of an exchange. */
export function exchangeOf(outcome: HttpOutcome): ObservedExchange {
  const durationMs = Math.round(outcome.durationMs);
  if (outcome.kind !== 'reply') return { durationMs };
  const { status, headers, json } = outcome.reply;
  const providerRequestId = requestIdOf(headers, isJson(json) ? json : {});
  const quota = quotaOf(headers);
  return { durationMs, status, ...(providerRequestId !== undefined && { providerRequestId }), ...(quota && { quota }) };
}
