import { type ForwardedHeader, checkForwardedHeaders } from '@sluice/types';
import { type AccountCache, createAccountCache } from '../account-cache';
import type { HttpOutcome, HttpRequest } from '../http-client';
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
import type { ProviderCall } from '../requests';
import { type Signal, propertiesOf, wireSignal } from '../failure-table';
import { classify, isSuccess, requestIdOf } from './errors';
import { type Instance, instanceOf, tokenOriginOf } from './instance';
import type { Description } from './wire';

/** Names of the calls in logs and metrics, and what each does to a record. */
const writes = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  'batch-create': 'create',
  'batch-update': 'update',
  'batch-upsert': 'create',
  'batch-read': 'read',
  search: 'read',
  describe: 'read',
  workspace: 'read',
} as const satisfies Readonly<Record<string, Signal['on']>>;

interface SalesforceRequest {
  readonly operation: keyof typeof writes;
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly body?: unknown;
  /** The caller's headers, on writes only. Source: reference B6. */
  readonly headers?: readonly ForwardedHeader[] | undefined;
  /** An earlier send of the same may have been carried out. @default false */
  readonly isResend?: boolean | undefined;
  /** At the login in place of the instance, where the account is not known yet. @default false */
  readonly atLogin?: boolean;
}

/** A 2xx with its body as it came (undefined: none, as with a 204), or why not. */
export type SalesforceAnswer = Answer<unknown>;

/** Records of a collections call. Reads would take 2,000; ours carry no more than a write does. Source: reference B3. */
export const batchRecordsMax = 200;

/** What every action needs. */
export interface SalesforceApi {
  /** Objects as accounts describe them, kept for a minute. */
  readonly descriptions: AccountCache<Description>;
  /** True: every account is reached at one address, which proves nothing about its My Domain. */
  readonly isOverridden: boolean;
  /** For what is not opened by the account's credentials: the token endpoint. */
  readonly http: ProviderHttp;
  call(request: SalesforceRequest, call: ProviderCall): Promise<SalesforceAnswer>;
  /** The base URL where users of the workspace log in: its own origin when it is a customer's sandbox, else the login. */
  loginOf(workspaceRef: string | undefined): string;
  /** Where the workspace's API is. */
  instanceOf(workspaceRef: string | undefined): Instance;
}

interface SalesforceApiOptions extends ProviderHttpOptions {
  /** Also the client's own origin. */
  readonly loginUrl: string;
  /** In place of every instance; for the sandbox. */
  readonly instanceUrl?: string;
}

/** The one way to Salesforce: host derived, bearer token on, reply classified, attempt measured. Never throws. */
export function createSalesforceApi({ loginUrl, instanceUrl, ...options }: SalesforceApiOptions): SalesforceApi {
  const http = createProviderHttp(salesforce, options);
  return {
    descriptions: createAccountCache(),
    isOverridden: instanceUrl !== undefined,
    http,
    loginOf: (workspaceRef) => tokenOriginOf(workspaceRef, instanceUrl) ?? loginUrl.replace(/\/+$/, ''),
    instanceOf: (workspaceRef) => instanceOf(workspaceRef, instanceUrl),
    async call(request, call) {
      const { operation, method, path, body, headers: forwarded } = request;
      const { accessToken, workspaceRef } = call.auth;
      const instance = request.atLogin ? undefined : instanceOf(workspaceRef, instanceUrl);
      const fault = refusedHeader(forwarded ?? []) ?? (instance?.ok === false ? instance.message : undefined);
      const failure =
        credentialsFault(accessToken) ??
        (fault === undefined ? await call.withhold?.('account') : refused(fault, 'call'));
      if (failure) return { ok: false, failure };
      const headers = { authorization: `Bearer ${accessToken}` };
      const origin = instance?.ok ? instance.origin : undefined;
      const sent = { method, path, origin, headers, forwarded, body };
      return http.exchange(operation, sent, call, (outcome) => readAnswer(outcome, request, accessToken));
    },
  };
}

function readAnswer(outcome: HttpOutcome, request: SalesforceRequest, token: string): SalesforceAnswer {
  const { operation, isResend = false } = request;
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const signal: Signal = {
    on: writes[operation],
    ...wireSignal(outcome),
    is: propertiesOf({
      batch: operation.startsWith('batch'),
      identity: operation === 'workspace',
      json: reply?.json !== undefined,
      empty: reply !== undefined && reply.json === undefined && reply.text === undefined,
      resend: isResend,
    }),
  };
  // The body of a 404 that is a success has no outcome of a record.
  if (isSuccess(signal, reply?.json)) return { ok: true, body: reply?.status === 404 ? undefined : reply?.json };
  return { ok: false, failure: classify({ signal, outcome, token, now: Date.now() }) };
}

/**
 * The usage in `Sforce-Limit-Info: api-usage=10018/100000`; undefined when it states nothing usable. It is a daily total that the customer's other
 * apps use up too, not a burst limit. So it is measured, and never counted as a window. A bucket of 24 hours would hold back writes by our own count
 * alone. Source: reference B6, B7.
 */
export function usageOf(headers: Readonly<Record<string, string>>): DailyUsage | undefined {
  const found = /(?:^|[\s;])api-usage=(\d{1,12})\/(\d{1,12})/.exec(headers['sforce-limit-info'] ?? '');
  const [used, limit] = [Number(found?.[1]), Number(found?.[2])];
  return found && limit > 0 ? { used, limit } : undefined;
}

/** Without a quota: Salesforce has no burst limit to state. */
export const salesforce: Dialect = {
  provider: 'salesforce',
  displayName: 'Salesforce',
  requestIdOf,
  dailyUsageOf: usageOf,
};

/**
 * Why the caller's headers cannot go along; undefined when they can. Requests are checked by the same rules when they are
 * accepted; here nothing can pass that was stored before a rule. Values are never shown: they may be secrets.
 */
function refusedHeader(headers: readonly ForwardedHeader[]): string | undefined {
  const [issue] = checkForwardedHeaders(headers);
  if (issue === undefined) return undefined;
  const { name, detail, value } = issue;
  return `${name} ${detail}${value === undefined ? '' : `: ${JSON.stringify(value)}`}`;
}
