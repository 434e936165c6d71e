import { DefectError, type FailureClass } from '@sluice/errors';
import { currentStep, type Logger, type Metrics } from '@sluice/telemetry';
import { cleanText, versionOverText } from './failures';
import type { HttpClient, HttpOutcome, HttpRequest } from './http-client';
import { isJson } from './json';
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
