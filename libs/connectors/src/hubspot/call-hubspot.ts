import { type AccountCache, createAccountCache } from '../account-cache';
import { decide, passingRows, propertiesOf, type Signal, wireSignal } from '../failure-table';
import { type HttpOutcome, type HttpRequest, isJson, type Json, listOf, textOf } from '../http-client';
import {
  type Answer,
  callFailure,
  cleanText,
  createProviderHttp,
  credentialsFault,
  type DailyUsage,
  type Dialect,
  failureText,
  type ProviderHttp,
  type ProviderHttpOptions,
  type ReadProblem,
  recordFailure,
  refused,
  saidOtherwise,
  withProblems,
} from '../provider-call';
import type { ObservedQuota, ProviderCall } from '../requests';
import type { ProviderFailure } from '../results';
import { statedWaitMs } from '../stated-wait';
import { callTable, policyWaitMs, recordTable } from './failure-tables';
import { isSafePath, type ObjectSchema, textsOf, type WireError } from './wire';

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
  return refused(message, hasMany(request) ? 'call' : 'record');
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
  const failure = classify({ signal, outcome, isBatch: hasMany(request), isSearch, token, now: Date.now() });
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
function hasMany({ operation }: HubspotRequest): boolean {
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
  const read = problemsOf(body);
  return {
    ...withProblems(failure, read.length > 0 ? read : [{ code, message: text }], call.token),
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
  const read = problemsOf({ ...error });
  const problems = read.length > 0 ? read : [{ code: category, message }];
  return withProblems(recordFailure(row, text, existingIdOf({ ...error })), problems, token);
}

/** HubSpot's id of a request; also sent with successes. */
function requestIdOf(headers: Readonly<Record<string, string>>, json: unknown): string | undefined {
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
 * What a refusal says of single properties, itself and in `errors[]`: in a JSON list inside the message, else in the context. Source: reference A3, A7;
 * HubSpot's changelog of 2023-07, "Property Validations Rules will be enforced for APIs and Integrations".
 */
function problemsOf(body: Json): ReadProblem[] {
  return [body, ...listOf(body['errors'])].flatMap(({ code, category, context, message }): ReadProblem[] => {
    const listed = problemsIn(textOf(message) ?? '').map((problem): ReadProblem => {
      const { name, error, message: text } = problem;
      return { providerField: textOf(name), code: textOf(error), message: textOf(text) };
    });
    const [providerField] = textsOf(isJson(context) ? context['propertyName'] : undefined);
    if (listed.length > 0 || providerField === undefined) return listed;
    return [{ providerField, code: textOf(code) ?? textOf(category), message: textOf(message) }];
  });
}

/** Properties that a refused batch names as unknown or read-only. Empty when it names none. */
export function refusedFieldsOf(body: Json): string[] {
  const refusedOnes = problemsOf(body).filter(({ code }) => refusedCodes.has(code ?? ''));
  return [...new Set(refusedOnes.flatMap(({ providerField }) => providerField ?? []))];
}
