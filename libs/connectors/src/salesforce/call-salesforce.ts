import { type ForwardedHeader, checkForwardedHeaders } from '@sluice/types';
import type { Logger, Metrics } from '@sluice/telemetry';
import { createCallMeter, type CallMeter, type HttpClient, type HttpOutcome, type HttpRequest } from '../http-client';
import { createUsageMeter, type DailyUsage } from '../signals';
import type { ObservedExchange, ProviderCall } from '../requests';
import type { ProviderFailure } from '../results';
import type { Signal } from './error-table';
import { classify, isSuccess, requestIdOf, type CallSignal } from './errors';
import { instanceOf, tokenOriginOf, type Instance } from './instance';

/** Names of the calls in logs and metrics, and what each does to a record. */
const kinds = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  'batch-create': 'create',
  'batch-update': 'update',
  'batch-upsert': 'create',
  'batch-read': 'read',
  search: 'read',
  describe: 'read',
  workspace: 'identity',
} as const satisfies Readonly<Record<string, Signal['write']>>;

interface SalesforceRequest {
  readonly operation: keyof typeof kinds;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** The caller's headers, on writes only. Source: reference B6. */
  readonly headers?: readonly ForwardedHeader[];
  /** An earlier send of the same may have been carried out. @default false */
  readonly isResend?: boolean;
  /** At the login in place of the instance, where the account is not known yet. @default false */
  readonly atLogin?: boolean;
}

/** A 2xx with its body as it came (undefined: none, as with a 204), or why not. */
export type SalesforceAnswer =
  { readonly ok: true; readonly body: unknown } | { readonly ok: false; readonly failure: ProviderFailure };

type TokenExchange = Pick<HttpRequest, 'origin' | 'path' | 'form' | 'signal' | 'traceparent'>;

/** What every action needs. */
export interface SalesforceApi {
  /** True: every account is reached at one address, which proves nothing about its My Domain. */
  readonly isOverridden: boolean;
  call(request: SalesforceRequest, call: ProviderCall): Promise<SalesforceAnswer>;
  /** The base URL where users of the workspace log in: its own origin when it is a customer's sandbox, else the login. */
  loginOf(workspaceRef: string | undefined): string;
  /** Where the workspace's API is. */
  instanceOf(workspaceRef: string | undefined): Instance;
  /** Without a bearer token; the caller reads the outcome and says how it is counted. */
  exchangeToken(request: TokenExchange): Promise<HttpOutcome>;
  readonly meter: CallMeter;
}

interface SalesforceApiOptions {
  /** Its own origin is the login. */
  readonly client: HttpClient;
  readonly loginUrl: string;
  /** In place of every instance; for the sandbox. */
  readonly instanceUrl?: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What a header value may hold: no space, so no line break either. */
const tokenForm = /^[\x21-\x7e]+$/;

/** The one way to Salesforce: host derived, bearer token on, reply classified, attempt measured. Never throws. */
export function createSalesforceApi(options: SalesforceApiOptions): SalesforceApi {
  const { client, instanceUrl, logger, metrics } = options;
  const meter = createCallMeter('salesforce', logger, metrics);
  const usage = createUsageMeter('salesforce', metrics, usageOf);
  return {
    isOverridden: instanceUrl !== undefined,
    meter,
    loginOf: (workspaceRef) => tokenOriginOf(workspaceRef, instanceUrl) ?? options.loginUrl.replace(/\/+$/, ''),
    instanceOf: (workspaceRef) => instanceOf(workspaceRef, instanceUrl),
    exchangeToken: (request) => client.send({ method: 'POST', headers: {}, ...request }),
    async call(request, call) {
      const { auth, signal, held, traceparent, observe } = call;
      const instance = request.atLogin ? undefined : instanceOf(auth.workspaceRef, instanceUrl);
      const refused =
        refusalOf(request, call) ??
        (instance?.ok === false ? refuse(instance.message) : undefined) ??
        (await call.withhold?.('account'));
      if (refused) return { ok: false, failure: refused };
      const { operation, method, path, body, headers } = request;
      const outcome = await client.send({
        method,
        path,
        headers: { authorization: `Bearer ${auth.accessToken}` },
        ...(instance?.ok && { origin: instance.origin }),
        ...(headers && { forwarded: headers }),
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
        held,
        ...(traceparent !== undefined && { traceparent }),
      });
      const answer = readAnswer(outcome, request, auth.accessToken);
      const seen = exchangeOf(outcome);
      meter.measured(operation, answer.ok ? 'ok' : answer.failure.class, outcome, seen);
      usage(outcome);
      observe?.(seen);
      return answer;
    },
  };
}

/** What can be refused here without asking Salesforce. */
function refusalOf(request: SalesforceRequest, call: ProviderCall): ProviderFailure | undefined {
  if (!tokenForm.test(call.auth.accessToken)) {
    const message = 'the access token is empty or has characters that no header can carry';
    return { class: 'credentials', scope: 'call', message };
  }
  const header = refusedHeader(request.headers ?? []);
  return header === undefined ? undefined : refuse(header);
}

function refuse(message: string): ProviderFailure {
  return { class: 'rejected', scope: 'call', message };
}

function readAnswer(outcome: HttpOutcome, request: SalesforceRequest, token: string): SalesforceAnswer {
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const fault = faultOf(outcome);
  const headers = reply?.headers ?? {};
  const signal: CallSignal = {
    write: kinds[request.operation],
    isBatch: request.operation.startsWith('batch'),
    isJson: reply?.json !== undefined,
    isEmpty: reply?.json === undefined && reply?.text === undefined,
    isResend: request.isResend ?? false,
    ...(fault && { fault }),
    ...(reply && { status: reply.status }),
  };
  // The body of a 404 that is a success says nothing of a record.
  if (isSuccess(signal, reply?.json)) return { ok: true, body: reply?.status === 404 ? undefined : reply?.json };
  const failure = classify({
    signal,
    headers,
    json: reply?.json,
    ...(reply?.text !== undefined && { text: reply.text }),
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

/** Without a quota: Salesforce has no burst limit to state. */
export function exchangeOf(outcome: HttpOutcome): ObservedExchange {
  const durationMs = Math.round(outcome.durationMs);
  if (outcome.kind !== 'reply') return { durationMs };
  const { status, headers } = outcome.reply;
  const providerRequestId = requestIdOf(headers);
  return { durationMs, status, ...(providerRequestId !== undefined && { providerRequestId }) };
}

/**
 * What `Sforce-Limit-Info: api-usage=10018/100000` says; undefined when it says nothing usable. It is a daily total
 * that the customer's other apps use up too, not a burst limit, so it is measured and never counted as a window:
 * a bucket of 24 hours would hold back writes by our own count alone, and a fifth of a day for nobody.
 * Source: reference B6, B7.
 */
export function usageOf(headers: Readonly<Record<string, string>>): DailyUsage | undefined {
  const found = /(?:^|[\s;])api-usage=(\d{1,12})\/(\d{1,12})/.exec(headers['sforce-limit-info'] ?? '');
  const [used, limit] = [Number(found?.[1]), Number(found?.[2])];
  return found && limit > 0 ? { used, limit } : undefined;
}

/**
 * Why the caller's headers cannot go along; undefined when they can. Requests are checked by the same rules when they are
 * accepted; here nothing can pass that was stored before a rule. Values are never shown: they may be secrets.
 */
export function refusedHeader(headers: readonly ForwardedHeader[]): string | undefined {
  const [issue] = checkForwardedHeaders(headers);
  if (issue === undefined) return undefined;
  const { name, detail, value } = issue;
  return `${name} ${detail}${value === undefined ? '' : `: ${JSON.stringify(value)}`}`;
}
