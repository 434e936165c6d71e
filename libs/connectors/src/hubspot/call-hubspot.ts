import type { Logger, Metrics } from '@sluice/telemetry';
import { createCallMeter, type HttpClient, type HttpOutcome, type HttpRequest } from '../http-client';
import { createUsageMeter, type DailyUsage } from '../signals';
import type { ProviderCall, ObservedExchange, ObservedQuota } from '../requests';
import type { ProviderFailure } from '../results';
import { isSafePath, type HubspotUrls } from './urls';
import { successTable, type Signal } from './error-table';
import { classify, requestIdOf } from './errors';
import { isJson, type Json } from './wire';

/** What every action needs: one bound caller, and the paths. */
export interface HubspotApi {
  readonly urls: HubspotUrls;
  call(request: HubspotRequest, call: ProviderCall): Promise<HubspotAnswer>;
  /** One exchange of another form, without bearer token; `read` says what came of it. */
  exchange(
    operation: Operation,
    request: HttpRequest,
    observe: ProviderCall['observe'],
    read: (outcome: HttpOutcome) => HubspotAnswer,
  ): Promise<HubspotAnswer>;
}

interface HubspotApiOptions {
  readonly client: HttpClient;
  readonly urls: HubspotUrls;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What a header value may hold: no space, so no line break either. */
const tokenForm = /^[\x21-\x7e]+$/;

/** The one way to HubSpot: bearer token on, reply classified, attempt measured. Never throws. */
export function createHubspotApi(options: HubspotApiOptions): HubspotApi {
  const { client, urls } = options;
  const meter = createCallMeter('hubspot', options.logger, options.metrics);
  const usage = createUsageMeter('hubspot', options.metrics, dailyUsageOf);
  const exchange: HubspotApi['exchange'] = async (operation, request, observe, read) => {
    const outcome = await client.send(request);
    const answer = read(outcome);
    const seen = exchangeOf(outcome);
    meter.measured(operation, answer.ok ? 'ok' : answer.failure.class, outcome, seen);
    usage(outcome);
    observe?.(seen);
    return answer;
  };
  return {
    urls,
    exchange,
    async call(request, call) {
      const { operation, method, path, body } = request;
      const quota = operation === 'search' ? 'search' : 'account';
      const refused = refusalOf(request, call) ?? (await call.withhold?.(quota));
      if (refused) return { ok: false, failure: refused };
      const { auth, signal, held, traceparent, observe } = call;
      const sent = {
        method,
        path,
        headers: { authorization: `Bearer ${auth.accessToken}` },
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
        held,
        ...(traceparent !== undefined && { traceparent }),
      };
      return exchange(operation, sent, observe, (outcome) => readAnswer(outcome, request, auth.accessToken));
    },
  };
}

/** What can be refused here without asking HubSpot. */
function refusalOf(request: HubspotRequest, call: ProviderCall): ProviderFailure | undefined {
  const scope = isBatch(request) ? 'call' : 'record';
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

/** The body of a success, or the class of what went wrong. */
function readAnswer(outcome: HttpOutcome, request: HubspotRequest, token: string): HubspotAnswer {
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
function exchangeOf(outcome: HttpOutcome): ObservedExchange {
  const durationMs = Math.round(outcome.durationMs);
  if (outcome.kind !== 'reply') return { durationMs };
  const { status, headers, json } = outcome.reply;
  const providerRequestId = requestIdOf(headers, isJson(json) ? json : {});
  const quota = quotaOf(headers);
  return { durationMs, status, ...(providerRequestId !== undefined && { providerRequestId }), ...(quota && { quota }) };
}

/** What each call does. An association set twice is the same association, so it is like an update. */
const writes = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  associate: 'update',
  'batch-create': 'create',
  'batch-update': 'update',
  'batch-upsert': 'create',
  'batch-read': 'read',
  search: 'read',
  properties: 'read',
  schema: 'read',
  workspace: 'read',
  scopes: 'read',
  refresh: 'read',
  'exchange-code': 'read',
} as const satisfies Readonly<Record<string, Signal['write']>>;

/** Names of the calls in logs and metrics. */
type Operation = keyof typeof writes;

interface HubspotRequest {
  readonly operation: Operation;
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly body?: unknown;
  /** Every record of the call has a unique property. @default false */
  readonly isKeyed?: boolean;
}

/** A 2xx with a JSON object (an empty one for a 204, where that is the success), or why not. */
export type HubspotAnswer =
  { readonly ok: true; readonly body: Json } | { readonly ok: false; readonly failure: ProviderFailure };

/** The call is about several records, so a failure of it need not be about each. */
function isBatch({ operation }: HubspotRequest): boolean {
  return operation.startsWith('batch') || operation === 'associate';
}

/** Rate headers are on every reply but search's. Source: HubSpot developer documentation, "API usage guidelines". */
const limitHeader = 'x-hubspot-ratelimit-max';
const windowHeader = 'x-hubspot-ratelimit-interval-milliseconds';
/** Not sent to OAuth apps. Source: reference A8. */
const dailyHeader = 'x-hubspot-ratelimit-daily';
const dailyLeftHeader = 'x-hubspot-ratelimit-daily-remaining';

/** What a reply says of the account's burst limit; undefined when it says nothing usable. */
export function quotaOf(headers: Readonly<Record<string, string>>): ObservedQuota | undefined {
  const limit = Number(headers[limitHeader]);
  const windowMs = Number(headers[windowHeader]);
  const isUsable = Number.isSafeInteger(limit) && limit > 0 && Number.isSafeInteger(windowMs) && windowMs > 0;
  return isUsable ? { limit, windowMs } : undefined;
}

/** What a reply says of the account's day; undefined when it says nothing usable. */
export function dailyUsageOf(headers: Readonly<Record<string, string>>): DailyUsage | undefined {
  const [limit, left] = [headers[dailyHeader], headers[dailyLeftHeader]].map((text) =>
    text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined,
  );
  return limit && left !== undefined && left <= limit ? { used: limit - left, limit } : undefined;
}
