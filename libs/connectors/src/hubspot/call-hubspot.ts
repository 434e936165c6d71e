import type { Counter, Histogram, Logger, Metrics } from '@sluice/telemetry';
import type { HttpClient, HttpOutcome } from '../http-client';
import type { ObservedExchange, ProviderCall } from '../requests';
import type { ProviderFailure } from '../results';
import type { Signal } from './error-table';
import { classify, requestIdOf } from './errors';
import { quotaOf } from './quota-headers';
import { isSafePath, type HubspotUrls } from './urls';
import { isJson, type Json } from './wire';

/** Names of the calls in logs and metrics. */
export type Operation = 'create' | 'update' | 'batch-create' | 'batch-update' | 'batch-read' | 'search' | 'workspace';

export interface HubspotRequest {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: unknown;
  /** Every record of the call has a unique property. @default false */
  readonly isKeyed?: boolean;
}

/** A 2xx with a JSON object, or why not. */
export type HubspotAnswer =
  { readonly ok: true; readonly body: Json } | { readonly ok: false; readonly failure: ProviderFailure };

/** What every action needs: one bound caller, and the paths. */
export interface HubspotApi {
  readonly urls: HubspotUrls;
  call(request: HubspotRequest, call: ProviderCall): Promise<HubspotAnswer>;
}

export interface HubspotApiOptions {
  readonly client: HttpClient;
  readonly urls: HubspotUrls;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What a header value may hold: no space, so no line break either. */
const tokenForm = /^[\x21-\x7e]+$/;

const writes: Readonly<Record<Operation, Signal['write']>> = {
  create: 'create',
  update: 'update',
  'batch-create': 'create',
  'batch-update': 'update',
  'batch-read': 'read',
  search: 'read',
  workspace: 'read',
};

/** The one way to HubSpot: bearer token on, reply classified, attempt measured. Never throws. */
export function createHubspotApi(options: HubspotApiOptions): HubspotApi {
  const { client, urls, logger } = options;
  const meters = createMeters(options.metrics);
  return {
    urls,
    async call(request, call) {
      const refused = refusalOf(request, call);
      if (refused) return { ok: false, failure: refused };
      const { operation, method, path, body } = request;
      const { auth, signal, traceparent } = call;
      const outcome = await client.send({
        method,
        path,
        headers: { authorization: `Bearer ${auth.accessToken}` },
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
        ...(traceparent !== undefined && { traceparent }),
      });
      const answer = readAnswer(outcome, request, auth.accessToken);
      const result = answer.ok ? 'ok' : answer.failure.class;
      const seen = exchangeOf(outcome);
      meters.calls.inc({ provider: 'hubspot', operation, result });
      meters.seconds.observe({ provider: 'hubspot', operation }, outcome.durationMs / 1_000);
      logger.debug({ provider: 'hubspot', operation, result, ...seen }, 'provider.called');
      call.observe?.(seen);
      return answer;
    },
  };
}

/** What can be refused here without asking HubSpot. */
function refusalOf(request: HubspotRequest, call: ProviderCall): ProviderFailure | undefined {
  const scope = request.operation.startsWith('batch') ? 'call' : 'record';
  if (!tokenForm.test(call.auth.accessToken)) {
    return {
      class: 'credentials',
      scope: 'call',
      message: 'the access token is empty or has characters that no header can carry',
    };
  }
  if (isSafePath(request.path)) return undefined;
  return {
    class: 'rejected',
    scope,
    message: 'the object name or the record id has characters that HubSpot does not use',
  };
}

function readAnswer(outcome: HttpOutcome, request: HubspotRequest, token: string): HubspotAnswer {
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const isSuccess = reply !== undefined && reply.status >= 200 && reply.status < 300 && !reply.fault;
  if (isSuccess && isJson(reply.json)) return { ok: true, body: reply.json };
  const fault = isSuccess ? 'unreadable' : faultOf(outcome);
  const headers = reply?.headers ?? {};
  const failure = classify({
    signal: {
      write: writes[request.operation],
      isKeyed: request.isKeyed ?? false,
      isJson: isJson(reply?.json),
      hasRetryAfter: 'retry-after' in headers,
      ...(fault && { fault }),
      ...(reply && { status: reply.status }),
    },
    isBatch: request.operation.startsWith('batch'),
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

function exchangeOf(outcome: HttpOutcome): ObservedExchange {
  const durationMs = Math.round(outcome.durationMs);
  if (outcome.kind !== 'reply') return { durationMs };
  const { status, headers, json } = outcome.reply;
  const providerRequestId = requestIdOf(headers, isJson(json) ? json : {});
  const quota = quotaOf(headers);
  return { durationMs, status, ...(providerRequestId !== undefined && { providerRequestId }), ...(quota && { quota }) };
}

function createMeters(metrics: Metrics): { calls: Counter; seconds: Histogram } {
  return {
    calls: metrics.counter('sluice_provider_calls_total', 'Calls to providers, by result: ok or a failure class.', [
      'provider',
      'operation',
      'result',
    ]),
    seconds: metrics.histogram('sluice_provider_call_seconds', 'Duration of calls to providers.', [
      'provider',
      'operation',
    ]),
  };
}
