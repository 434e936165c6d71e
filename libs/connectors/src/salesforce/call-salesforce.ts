import { retryOf } from '@sluice/errors';
import { checkForwardedHeaders, type ForwardedHeader } from '@sluice/types';
import { type AccountCache, createAccountCache } from '../account-cache';
import { decide, type FailureRow, propertiesOf, type Signal, wireSignal } from '../failure-table';
import type { HttpOutcome, HttpRequest } from '../http-client';
import {
  type Answer,
  callFailure,
  cleanText,
  createProviderHttp,
  credentialsFault,
  type DailyUsage,
  type Dialect,
  failureClassOf,
  failureText,
  type ProviderHttp,
  type ProviderHttpOptions,
  recordFailure,
  refused,
  saidOtherwise,
  type ReadProblem,
  withProblems,
} from '../provider-call';
import type { ProviderCall } from '../requests';
import type { ProviderFailure } from '../results';
import { statedWaitMs } from '../stated-wait';
import { callTable, unanswered } from './failure-tables';
import { type Description, isRecordId, readErrors, readSaved, type WireError } from './wire';

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

/** A call that failed. */
export interface FailedCall {
  /** What does not depend on the single error. */
  readonly signal: Signal;
  readonly outcome: HttpOutcome;
  readonly token: string;
  readonly now: number;
}

/** Final classes: nothing changes by sending the same again. */
export function isFinal(failure: ProviderFailure): boolean {
  return retryOf(failure.class) === 'never';
}

/** The call succeeded, or was refused record by record: then the body has an outcome for each. Of several errors in a reply the first decides. */
export function isSuccess(signal: Signal, json: unknown): boolean {
  if (signal.is.includes('batch') && signal.status === 400 && isRefusedEach(json)) return true;
  const [error] = signal.status === 404 ? readErrors(json) : [];
  return decide(callTable, { ...signal, code: error?.code }).class === 'ok';
}

/** A 400 in the form of a collection's 200: one result for each record, and none was written. */
function isRefusedEach(json: unknown): boolean {
  return Array.isArray(json) && json.length > 0 && json.every((item) => readSaved(item)?.success === false);
}

/** Class, wait and text of a call that failed as a whole. */
export function classify({ signal, outcome, token, now }: FailedCall): ProviderFailure {
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const errors = readErrors(reply?.json);
  const row = decideAll(signal, errors, reply?.text ?? saidOtherwise(outcome));
  const failure = callFailure(row, {
    outcome,
    on: signal.on,
    isBatch: signal.is.includes('batch'),
    message: cleanText(messageOf(signal, outcome, errors), token),
    waitMs: statedWaitMs(reply, now) ?? row.waitMs,
    providerRequestId: requestIdOf(reply?.headers ?? {}),
    existingId: existingIdOf(errors),
  });
  return { ...withProblems(failure, errors.flatMap(toProblems), token), ...refusedForOne(signal, errors) };
}

/** The failure of one record that a 2xx refuses, in a collection or alone. */
export function itemFailure(errors: readonly WireError[], on: Signal['on'], token: string): ProviderFailure {
  if (errors.length === 0) {
    return recordFailure(unanswered.unexplained, 'Salesforce did not write the record and does not say why');
  }
  const row = decideAll({ on, is: ['record', 'json'] }, errors, undefined);
  const failure = recordFailure(row, cleanText(errors.map(sentenceOf).join('; '), token), existingIdOf(errors));
  return withProblems(failure, errors.flatMap(toProblems), token);
}

/** Salesforce's id of a request, where the edge sends one. */
function requestIdOf(headers: Readonly<Record<string, string>>): string | undefined {
  const id = headers['x-request-id'] ?? headers['x-sfdc-request-id'];
  return id ? cleanText(id.slice(0, 100)) : undefined;
}

/** The row of each error; one that will not go away decides over those that may. @param text of a reply that is no JSON */
function decideAll(signal: Signal, errors: readonly WireError[], text: string | undefined): FailureRow {
  const signals = errors.map(({ code, message, fields }): Signal => {
    return { ...signal, code, text: message, is: fields.length > 0 ? [...signal.is, 'fields'] : signal.is };
  });
  const rows = (signals.length > 0 ? signals : [{ ...signal, text }]).map(decideInner);
  return (rows.find((row) => retryOf(failureClassOf(row)) === 'never') ?? rows[0]) as FailureRow;
}

/** A code that follows these words in the message of another: what a trigger, a flow or a process met. Of several the last is the innermost. */
const inner = /(?:first error|error occurred): ([A-Z][A-Z0-9_]+)[,:]/g;

function innerCodeOf(message: string): string | undefined {
  return [...message.matchAll(inner)].at(-1)?.[1];
}

/** What a wrapper's message holds decides over the wrapper, except of the account: a trigger may call others than the one that was asked. */
function decideInner(signal: Signal): FailureRow {
  const code = innerCodeOf(signal.text ?? '');
  const row = code === undefined ? undefined : decide(callTable, { ...signal, code, is: [...signal.is, 'wrapped'] });
  const isOfCall = row !== undefined && !row.isLane && row.class !== 'credentials' && row.class !== 'ok';
  return isOfCall ? row : decide(callTable, signal);
}

/** The one record that a duplicate error names; of several none can be meant. */
function existingIdOf(errors: readonly WireError[]): string | undefined {
  const named = errors.flatMap(({ message, duplicateIds }) => {
    // Of a duplicate that a trigger met the record is another one.
    if (innerCodeOf(message) !== undefined) return [];
    const id = /record with id: ([A-Za-z0-9]{15,18})/.exec(message)?.[1];
    return id !== undefined && isRecordId(id) ? [id, ...duplicateIds] : duplicateIds;
  });
  const [only, ...others] = new Set(named);
  return others.length === 0 ? only : undefined;
}

function messageOf({ status = 0 }: Signal, outcome: HttpOutcome, errors: readonly WireError[]): string {
  const lack = status < 300 ? 'with a reply that is unreadable' : 'without a message';
  return failureText('Salesforce', outcome, errors.map(sentenceOf).join('; ') || undefined, lack);
}

/** `CODE: message`, with the fields that the message itself does not name. */
function sentenceOf({ code, message, fields }: WireError): string {
  const unnamed = fields.filter((field) => !message.includes(field));
  const text = [code, message].filter(Boolean).join(': ');
  return unnamed.length > 0 ? `${text} (fields: ${unnamed.join(', ')})` : text;
}

/** Codes of a body that could not be read into records: a value that does not fit its field's type, a field that is not there. */
const unreadable = /^(JSON_PARSER_ERROR|INVALID_FIELD)$/;

/**
 * Whether a collection that was refused whole was refused for a single record. A 400 means that the request is not well formed and is to be sent again
 * with its syntax fixed; whatever is well formed is answered 200, record by record. So nothing of a 400 was written. Other codes speak of the
 * request, its headers or the object, and are no record's fault.
 * Governor limits have a row of the table.
 * Source: Salesforce REST guide, "Create Records Using sObject Collections" (also Update); reference B3, B7.
 */
function refusedForOne(
  { on, status, is }: Signal,
  errors: readonly WireError[],
): Pick<ProviderFailure, 'mayBeOneRecord' | 'refusedFields'> {
  const isWrite = on === 'create' || on === 'update';
  if (!is.includes('batch') || !isWrite || status !== 400 || errors.length === 0) return {};
  if (!errors.every(({ code }) => unreadable.test(code ?? ''))) return {};
  return { mayBeOneRecord: true, refusedFields: [...new Set(errors.flatMap(unknownField))] };
}

/** The field that the object does not have: no record may carry it. */
function unknownField({ code, message }: WireError): string[] {
  const name = code === 'INVALID_FIELD' ? /^No such column '([^']+)' on sobject/.exec(message)?.[1] : undefined;
  return name === undefined ? [] : [name];
}

/** The unique field whose value another record has; Salesforce names it in the sentence alone. Source: reference B7. */
function takenField({ code, message }: WireError): string[] {
  const name =
    code === 'DUPLICATE_VALUE' ? /^duplicate value found: (\w+) duplicates value/.exec(message)?.[1] : undefined;
  return name === undefined ? [] : [name];
}

/** One problem for each field that the error names, as a list or in its sentence; else one of the record. */
function toProblems(error: WireError): ReadProblem[] {
  const { code, message } = error;
  const named = error.fields.length > 0 ? error.fields : [...unknownField(error), ...takenField(error)];
  const fields = named.length > 0 ? named : [undefined];
  return fields.map((providerField) => ({ providerField, code, message }));
}

const suffix = '.my.salesforce.com';

/**
 * My Domain labels: `acme`, `acme--uat.sandbox`, `acme-dev-ed.develop`. Source: reliability checklist, item 15; label
 * length RFC 1035, section 2.3.4.
 */
const labels = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){0,3}$/;

/** Where an account's API is, or why it is unknown. */
export type Instance =
  { readonly ok: true; readonly origin: string } | { readonly ok: false; readonly message: string };

/**
 * The origin of an account: `https://{workspaceRef}.my.salesforce.com`, or the override in place of all. A token is sent
 * there, so the URL is parsed again and its host compared. Source: design 6, "where a connection points".
 */
export function instanceOf(workspaceRef: string | undefined, override: string | undefined): Instance {
  if (override !== undefined) return { ok: true, origin: override };
  if (workspaceRef === undefined) return refuse('is not set on the connection');
  const ref = workspaceRef.toLowerCase();
  if (ref.endsWith('.salesforce.com')) return refuse(`must not hold the domain itself, as '${shown(ref)}' does`);
  const host = `${ref}${suffix}`;
  if (!labels.test(ref) || URL.parse(`https://${host}`)?.host !== host) {
    return refuse(`must be labels of letters, digits and hyphens, joined by dots, not '${shown(ref)}'`);
  }
  return { ok: true, origin: `https://${host}` };
}

/**
 * The origin at which an account's tokens are refreshed. A customer's sandbox refreshes at its own origin, because the production login does not know
 * it. Undefined: at the login. Source: reference B1, hosts of OAuth; every sandbox's My Domain has `--` (D).
 */
export function tokenOriginOf(workspaceRef: string | undefined, override: string | undefined): string | undefined {
  if (override !== undefined || !workspaceRef?.includes('--')) return undefined;
  const instance = instanceOf(workspaceRef, override);
  return instance.ok ? instance.origin : undefined;
}

/** The labels of a URL of Salesforce that lies on a My Domain; undefined for every other one. */
export function workspaceRefOf(url: string | undefined): string | undefined {
  const host = url === undefined ? undefined : URL.parse(url)?.hostname;
  if (!host?.endsWith(suffix)) return undefined;
  const ref = host.slice(0, -suffix.length);
  return labels.test(ref) ? ref : undefined;
}

function refuse(rule: string): Instance {
  return { ok: false, message: `providerWorkspaceRef ${rule}; set it to the part of the My Domain before ${suffix}` };
}

function shown(ref: string): string {
  return ref.slice(0, 80);
}
