import { type AccountCache, createAccountCache } from '../account-cache';
import type { HttpOutcome, HttpRequest } from '../http-client';
import { type Json, isJson } from '../json';
import {
  type Answer,
  type DailyUsage,
  type Dialect,
  type ProviderHttp,
  type ProviderHttpOptions,
  createProviderHttp,
  credentialsFault,
  refused,
} from '../provider-call';
import type { ObservedQuota, ProviderCall } from '../requests';
import { type Signal, decide, propertiesOf, wireSignal } from '../failure-table';
import { classify, requestIdOf } from './errors';
import { callTable } from './failure-tables';
import { isSafePath } from './urls';
import type { ObjectSchema } from './wire';

/** Inputs of every CRM batch endpoint, per call. Source: reference A3. */
export const batchRecordsMax = 100;

/** What every action needs. */
export interface HubspotApi {
  /** Properties of objects as accounts list them, kept for a minute. */
  readonly properties: AccountCache<readonly Json[]>;
  /** Schemas of objects; undefined where the account or its scopes have none. */
  readonly schemas: AccountCache<ObjectSchema | undefined>;
  /** For what is not opened by the account's credentials: the token endpoint. */
  readonly http: ProviderHttp;
  call(request: HubspotRequest, call: ProviderCall): Promise<HubspotAnswer>;
}

/** The one way to HubSpot: bearer token on, reply classified, attempt measured. Never throws. */
export function createHubspotApi(options: ProviderHttpOptions): HubspotApi {
  const http = createProviderHttp(hubspot, options);
  return {
    http,
    properties: createAccountCache(),
    schemas: createAccountCache(),
    async call(request, call) {
      const { operation, method, path, body } = request;
      const { accessToken } = call.auth;
      const failure =
        credentialsFault(accessToken) ??
        pathFault(request) ??
        (await call.withhold?.(operation === 'search' ? 'search' : 'account'));
      if (failure) return { ok: false, failure };
      const sent = { method, path, headers: { authorization: `Bearer ${accessToken}` }, body };
      return http.exchange(operation, sent, call, (outcome) => readAnswer(outcome, request, accessToken));
    },
  };
}

function pathFault(request: HubspotRequest) {
  if (isSafePath(request.path)) return undefined;
  const message = 'the object name or the record id has characters that HubSpot does not use';
  return refused(message, isBatch(request) ? 'call' : 'record');
}

/** The body of a success, or the class of the failure. */
function readAnswer(outcome: HttpOutcome, request: HubspotRequest, token: string): HubspotAnswer {
  const json = outcome.kind === 'reply' ? outcome.reply.json : undefined;
  const signal: Signal = {
    on: writes[request.operation],
    ...wireSignal(outcome),
    is: propertiesOf({
      json: isJson(json),
      failed: isJson(json) && json['status'] === 'error',
      keyed: request.isKeyed ?? false,
    }),
  };
  if (decide(callTable, signal).class === 'ok') return { ok: true, body: isJson(json) ? json : {} };
  const isSearch = request.operation === 'search';
  const failure = classify({ signal, outcome, isBatch: isBatch(request), isSearch, token, now: Date.now() });
  return { ok: false, failure };
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
} as const satisfies Readonly<Record<string, Signal['on']>>;

interface HubspotRequest {
  /** In logs and metrics. */
  readonly operation: keyof typeof writes;
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly body?: unknown;
  /** Every record of the call has a unique property. @default false */
  readonly isKeyed?: boolean;
}

/** A 2xx with a JSON object (an empty one for a 204, where that is the success), or why not. */
export type HubspotAnswer = Answer<Json>;

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

/** The account's burst limit in a reply; undefined when it states nothing usable. */
export function quotaOf(headers: Readonly<Record<string, string>>): ObservedQuota | undefined {
  const limit = Number(headers[limitHeader]);
  const windowMs = Number(headers[windowHeader]);
  const isUsable = Number.isSafeInteger(limit) && limit > 0 && Number.isSafeInteger(windowMs) && windowMs > 0;
  return isUsable ? { limit, windowMs } : undefined;
}

/** The account's usage of the day in a reply; undefined when it states nothing usable. */
export function dailyUsageOf(headers: Readonly<Record<string, string>>): DailyUsage | undefined {
  const [limit, left] = [headers[dailyHeader], headers[dailyLeftHeader]].map((text) =>
    text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined,
  );
  return limit && left !== undefined && left <= limit ? { used: limit - left, limit } : undefined;
}

export const hubspot: Dialect = { provider: 'hubspot', displayName: 'HubSpot', requestIdOf, quotaOf, dailyUsageOf };
