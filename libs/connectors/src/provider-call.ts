import { DefectError, type FailureClass, ProviderError, retryOf } from '@sluice/errors';
import type { RecordProblem } from '@sluice/types';
import { currentStep, type Logger, type Metrics, redactText } from '@sluice/telemetry';
import { type FailureRow, isVersionOver, type Signal } from './failure-table';
import { type HttpClient, type HttpOutcome, type HttpReply, type HttpRequest, isJson, type Json } from './http-client';
import type { ObservedExchange, ObservedQuota, ProviderCall } from './requests';
import type { ProviderFailure } from './results';

/** What a call returned: the body of a success, or why there is none. */
export type Answer<Body> =
  { readonly ok: true; readonly body: Body } | { readonly ok: false; readonly failure: ProviderFailure };

type Headers = Readonly<Record<string, string>>;

/** Calls of one day, of all apps of the account. */
export interface DailyUsage {
  readonly used: number;
  readonly limit: number;
}

/** How one provider names itself, and what its replies state of every call. */
export interface Dialect {
  readonly provider: string;
  readonly displayName: string;
  /** The provider's own id of a request, undefined where its reply has none. */
  readonly requestIdOf: (headers: Headers, json: unknown) => string | undefined;
  /** The account's burst limit. @default no reply states it */
  readonly quotaOf?: (headers: Headers) => ObservedQuota | undefined;
  /** The calls of the day. @default no reply states them */
  readonly dailyUsageOf?: (headers: Headers) => DailyUsage | undefined;
}

/** Members of a call that concern its exchange, and nothing of what is sent. */
type Exchanged = Pick<ProviderCall, 'signal' | 'held' | 'traceparent' | 'observe'>;

/** The exchanges of one provider. */
export interface ProviderHttp {
  /**
   * Sends a request and reads its reply. Leaves behind what every call does: a count, a duration, a log line, a span of the current trace, an
   * observation.
   */
  exchange<Read extends Answer<unknown>>(
    operation: string,
    request: HttpRequest,
    call: Exchanged,
    read: (outcome: HttpOutcome) => Read,
  ): Promise<Read>;
}

export interface ProviderHttpOptions {
  readonly client: HttpClient;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The metrics have the same names for all providers; the label `provider` distinguishes them. */
export function createProviderHttp(dialect: Dialect, { client, logger, metrics }: ProviderHttpOptions): ProviderHttp {
  const { provider } = dialect;
  const calls = metrics.counter('sluice_provider_calls_total');
  const seconds = metrics.histogram('sluice_provider_call_seconds');
  let isOverLogged = false;
  const ratios = metrics.histogram('sluice_provider_daily_usage_ratio');
  const unread = new Set<string>();
  return {
    async exchange(operation, request, { signal, held, traceparent, observe }, read) {
      const outcome = await client.send({ ...request, signal, held, traceparent });
      const answer = read(outcome);
      const result: 'ok' | FailureClass = answer.ok ? 'ok' : answer.failure.class;
      const { durationMs } = outcome;
      const exchange = observed(dialect, outcome);
      calls.inc({ provider, operation, result });
      seconds.observe({ provider, operation }, durationMs / 1_000);
      const status = exchange.status === undefined ? {} : { status: exchange.status };
      const failed = result === 'ok' ? {} : { failed: result };
      const facts = { provider, providerOperation: operation, ...status };
      currentStep()?.past(`${provider} ${operation}`, { durationMs, facts, ...failed });
      logger.debug({ provider, operation, result, ...exchange }, 'provider.called');
      if (!answer.ok && answer.failure.message.startsWith(versionOverText) && !isOverLogged) {
        isOverLogged = true;
        // Of every account at once, so not once for each of them.
        const remedy =
          'Move the version that the provider file or the connector asks for; docs/providers/pins.md lists it.';
        logger.warn({ provider, operation, reason: answer.failure.message, remedy }, 'provider.version-over');
      }
      const unreadOne = answer.ok ? undefined : unreadReply(outcome, answer.failure);
      const known = `${operation} ${unreadOne?.status} ${unreadOne?.excerpt}`;
      if (unreadOne && !unread.has(known) && unread.size < unreadMax) {
        unread.add(known);
        const path = request.form && { path: request.path };
        logger.warn({ provider, operation, ...path, ...unreadOne }, 'provider.reply-unread');
      }
      const usage = outcome.kind === 'reply' ? dialect.dailyUsageOf?.(outcome.reply.headers) : undefined;
      if (usage) ratios.observe({ provider }, usage.used / usage.limit);
      observe?.(exchange);
      return answer;
    },
  };
}

/** Forms of replies that one provider's log lines name; each is logged once per process. [own] */
const unreadMax = 1_000;
const excerptMax = 200;
/** Load, and what waits for another call: known whatever the body says. */
const busy = [408, 420, 421, 423, 425, 429, 477];

/** A reply below 500 that no row reads as a success or a decision, for the log: its status, and its members without their values. */
function unreadReply(outcome: HttpOutcome, failure: ProviderFailure) {
  if (outcome.kind !== 'reply' || outcome.reply.fault) return undefined;
  const { status, json, headers } = outcome.reply;
  const isUnread = (failure.class === 'unknown' || failure.class === 'unavailable') && status < 500;
  if (!isUnread || failure.scope === 'lane' || busy.includes(status)) return undefined;
  const form = json === undefined ? (headers['content-type'] ?? 'no body') : shapeOf(json);
  return { status, result: failure.class, excerpt: cleanText(form.slice(0, excerptMax)) };
}

/** `{error, details: {email: [{description}]}}` */
function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length > 0 ? shapeOf(value[0]) : ''}]`;
  if (!isJson(value)) return '…';
  const members = Object.entries(value).slice(0, 20);
  return `{${members.map(([name, of]) => (typeof of === 'object' && of !== null ? `${name}: ${shapeOf(of)}` : name)).join(', ')}}`;
}

function observed({ requestIdOf, quotaOf }: Dialect, outcome: HttpOutcome): ObservedExchange {
  const durationMs = Math.round(outcome.durationMs);
  if (outcome.kind !== 'reply') return { durationMs };
  const { status, headers, json } = outcome.reply;
  const [providerRequestId, quota] = [requestIdOf(headers, json), quotaOf?.(headers)];
  return { durationMs, status, ...(providerRequestId !== undefined && { providerRequestId }), ...(quota && { quota }) };
}

/** A header can carry it: no space, so no line break either. */
export function isHeaderToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** Why credentials cannot be sent; undefined where they can. */
export function credentialsFault(accessToken: string): ProviderFailure | undefined {
  if (isHeaderToken(accessToken)) return undefined;
  const message = 'the access token is empty or has characters that no header can carry';
  return { class: 'credentials', scope: 'call', message };
}

/** A refusal of ours, before anything is sent. */
export function refused(message: string, scope: ProviderFailure['scope'] = 'record'): ProviderFailure {
  return { class: 'rejected', scope, message };
}

/** @throws DefectError when a caller plans a larger call than the capability says */
export function assertBatchSize({ displayName }: Dialect, limit: number, count: number): void {
  if (count <= limit) return;
  throw new DefectError({
    code: 'service.defect',
    detail: `a ${displayName} call takes ${limit} records, not ${count}`,
  });
}

/** What a provider's dialect reads from the reply to a call that failed, beside the row that decides. */
interface ReplyFacts {
  readonly outcome: HttpOutcome;
  readonly on: Signal['on'];
  readonly isBatch: boolean;
  /** Safe to show: see `cleanText`. */
  readonly message: string;
  /** Absent, or 0: the reply states no wait. */
  readonly waitMs?: number | undefined;
  readonly providerRequestId?: string | undefined;
  /** The record that the error names. */
  readonly existingId?: string | undefined;
}

/** How the text of such a failure begins. */
const versionOverText = 'The provider file asks for a version that is over';

/** A call that failed as a whole, by the row that decides. */
export function callFailure(row: FailureRow, facts: ReplyFacts): ProviderFailure {
  const { outcome, on, isBatch, message, waitMs = 0, providerRequestId, existingId } = facts;
  const failureClass = failureClassOf(row);
  const isFinal = retryOf(failureClass) === 'never';
  return {
    // Nothing depends on whether a read was carried out.
    class: on === 'read' && failureClass === 'unknown' ? 'unavailable' : failureClass,
    message: isVersionOver(row) ? cleanText(`${versionOverText}: ${message}`) : message,
    scope: row.isLane ? 'lane' : isFinal && !isBatch ? 'record' : 'call',
    ...(outcome.kind === 'reply' && { status: outcome.reply.status }),
    ...(waitMs > 0 && !isFinal && { retryAfterMs: waitMs }),
    ...(row.triesMax !== undefined && { triesMax: row.triesMax }),
    ...divisionOf(row, isBatch && on !== 'read'),
    ...(providerRequestId !== undefined && { providerRequestId }),
    ...(failureClass === 'conflict' && !isBatch && existingId !== undefined && { existingId }),
  };
}

/** One record that a reply refuses, in a batch or alone. */
export function recordFailure(row: FailureRow, message: string, existingId?: string): ProviderFailure {
  const failureClass = failureClassOf(row);
  return {
    class: failureClass,
    message,
    scope: row.isLane ? 'lane' : 'record',
    ...(row.waitMs !== undefined && { retryAfterMs: row.waitMs }),
    ...(row.triesMax !== undefined && { triesMax: row.triesMax }),
    ...divisionOf(row, true),
    ...(failureClass === 'conflict' && existingId !== undefined && { existingId }),
  };
}

function divisionOf({ divides }: FailureRow, isBatch: boolean): Pick<ProviderFailure, 'mayBeOneRecord' | 'isOfSize'> {
  return {
    ...(divides !== undefined && isBatch && ({ mayBeOneRecord: true } as const)),
    ...(divides === 'number' && ({ isOfSize: true } as const)),
  };
}

/** An `ok` row for a reply that was read as a failure: the reply lacks what such a reply must say, so its outcome is unknown. */
export function failureClassOf(row: FailureRow): FailureClass {
  return row.class === 'ok' ? 'unknown' : row.class;
}

/** Bounds of what one failure says of fields: a provider may name a hundred of them. */
const problemsMax = 20;
const problemBytesMax = 300;
const problemsBytesMax = 3_000;

/** Names of fields and codes are words of a schema. What is none may be a customer's value, which is for nobody but who wrote it. */
const fieldName = /^[\w.$-]{1,200}$/;
const codeName = /^[\w.-]{1,100}$/;

/** A problem as a reply has it: nothing in it is trusted. */
export interface ReadProblem {
  readonly providerField?: string | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/**
 * The problems of a failure that is final; of one that may pass there are none, because the record is not at fault. Each is named once.
 * @param read what the reply names, in its order; a problem without a field counts only where no field is named
 */
export function withProblems(
  failure: ProviderFailure,
  read: readonly ReadProblem[],
  ...secrets: readonly string[]
): ProviderFailure {
  if (retryOf(failure.class) !== 'never') return failure;
  const ofFields = read.filter(({ providerField }) => fieldName.test(providerField ?? ''));
  const problems = new Map<string, RecordProblem>();
  let bytes = 0;
  for (const { providerField, code, message } of ofFields.length > 0 ? ofFields : read) {
    const problem: RecordProblem = {
      ...(ofFields.length > 0 && providerField !== undefined && { providerField }),
      ...(code !== undefined && codeName.test(code) && { code }),
      message: cleanBytes(message || code || failure.message, problemBytesMax, secrets),
    };
    const text = JSON.stringify(problem);
    if (problems.has(text)) continue;
    bytes += Buffer.byteLength(text);
    if (problems.size === problemsMax || bytes > problemsBytesMax) break;
    problems.set(text, problem);
  }
  return problems.size === 0 ? failure : { ...failure, problems: [...problems.values()] };
}

const notReached = 'could not be reached: ';
const noReply = 'sent no reply: ';

/**
 * Why a call failed, in words of ours, for logs: what a provider says of a record may quote a customer.
 * `sent no reply: ECONNRESET`, `answered 503`, else the class.
 */
export function loggableReason({ class: failed, status, message }: ProviderFailure): string {
  if (status !== undefined) return `answered ${status}`;
  const isSilent = retryOf(failed) === 'backoff' && failed !== 'quota';
  const lost = isSilent ? [notReached, noReply].map((words) => message.indexOf(words)).find((at) => at > 0) : undefined;
  return lost === undefined ? `refused: ${failed}` : message.slice(lost);
}

/**
 * Why a call failed, as a sentence.
 * @param text the provider's own words, where its reply has any
 * @param lack what a reply that arrived whole lacks
 */
export function failureText(name: string, outcome: HttpOutcome, text: string | undefined, lack: string): string {
  if (outcome.kind === 'not-sent') return `${name} ${notReached}${outcome.reason}`;
  if (outcome.kind === 'no-reply') return `${name} ${noReply}${outcome.reason}`;
  const { status, fault, reason } = outcome.reply;
  const flaw = fault && `with a reply that is ${fault}${reason === undefined ? '' : `: ${reason}`}`;
  const said = saidOtherwise(outcome);
  return text ?? `${name} answered ${status}${said === undefined ? ` ${flaw ?? lack}` : `: ${said}`}`;
}

/** Names of what holds the words of an error; any other name among them is that of a field. */
const holder = /error|messag|detail|descri|reason|title|^\d+$/i;
const wordNames = ['message', 'error_description', 'detail', 'description', 'reason', 'error', 'title'];
/** How deep they may stand. [own] */
const levelsMax = 6;

/** What a reply says of a failure in a form that its dialect does not know; a page says nothing. */
export function saidOtherwise(outcome: HttpOutcome): string | undefined {
  const reply: Partial<HttpReply> = outcome.kind === 'reply' ? outcome.reply : {};
  const { status = 0, json, text = '<' } = reply;
  if (status < 400) return undefined;
  if (json === undefined) return text.startsWith('<') ? undefined : text;
  const known = isJson(json) ? Object.entries(json).flatMap(([name, of]) => (holder.test(name) ? [of] : [])) : json;
  return [...new Set(wordsIn(known, '', levelsMax))].slice(0, 5).join('; ') || undefined;
}

function wordsIn(value: unknown, field: string, levels: number): string[] {
  if (typeof value === 'string') return value === '' ? [] : [`${field}${value}`];
  if (levels === 0 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => wordsIn(one, field, levels - 1));
  const own = wordNames.find((name) => name in value);
  if (own !== undefined) return wordsIn((value as Json)[own], field, levels - 1);
  return Object.entries(value).flatMap(([name, of]) =>
    wordsIn(of, holder.test(name) ? field : `${name}: `, levels - 1),
  );
}

/** For reads, which throw. */
export function toProviderError(failure: ProviderFailure, provider: string): ProviderError {
  const { status, providerRequestId, triesMax, scope } = failure;
  return new ProviderError({
    class: failure.class,
    detail: failure.message,
    ...(failure.retryAfterMs !== undefined && { retryAfterMs: failure.retryAfterMs }),
    meta: {
      provider,
      ...(status !== undefined && { status }),
      ...(providerRequestId !== undefined && { providerRequestId }),
      ...(triesMax !== undefined && { triesMax }),
      ...(scope === 'search' && { scope }),
    },
  });
}

/** A read whose 2xx does not say what it must. */
export function unreadable(provider: string, message: string): ProviderError {
  return toProviderError({ class: 'unavailable', scope: 'call', message }, provider);
}

/** A thrown failure of a read, back as data. */
export function toFailure(error: ProviderError): ProviderFailure {
  const { status, providerRequestId, triesMax } = error.meta;
  return {
    class: error.class,
    message: error.detail,
    scope: isOfSearch(error) ? 'search' : error.class === 'quota' ? 'lane' : 'call',
    ...(typeof status === 'number' && { status }),
    ...(typeof providerRequestId === 'string' && { providerRequestId }),
    ...(typeof triesMax === 'number' && { triesMax }),
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
  };
}

/** The provider refuses the searches of the account for now, and nothing else of it. */
export function isOfSearch({ meta }: ProviderError): boolean {
  return meta['scope'] === 'search';
}

/** Most bytes of a provider's text that we keep. Source: reliability checklist, item 23. */
const bytesMax = 2_048;

/** C0 and C1 control characters, and the separators that break a log line or a terminal. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
/** A HubSpot private-app or service key. */
const privateKey = /\bpat-[a-z]{2}\d-[0-9a-f-]{8,}/gi;

/** A provider's text, fit to be stored and shown: secrets masked first, then control characters, then the length. */
export function cleanText(text: string, ...secrets: readonly string[]): string {
  return cleanBytes(text, bytesMax, secrets);
}

function cleanBytes(text: string, max: number, secrets: readonly string[]): string {
  const masked = secrets.reduce(
    (rest, secret) => (secret.length < 8 ? rest : rest.replaceAll(secret, '[secret]')),
    text,
  );
  const plain = redactText(masked.replace(privateKey, '[secret]')).replace(unprintable, ' ').trim().toWellFormed();
  const bytes = Buffer.from(plain);
  if (bytes.length <= max) return plain;
  // The ellipsis takes three bytes; a character cut in two decodes to U+FFFD.
  return `${bytes
    .subarray(0, max - 3)
    .toString()
    .replace(/\ufffd{1,3}$/, '')}…`;
}
