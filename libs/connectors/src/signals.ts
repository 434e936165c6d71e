import { retryOf, type FailureClass, ProviderError } from '@sluice/errors';
import { type Metrics, redactText } from '@sluice/telemetry';
import type { HttpOutcome } from './http-client';
import type { ProviderFailure } from './results';

/**
 * Where a fact about a provider is from. `documented`: the provider's public pages or published OpenAPI. `recorded`: seen in a fixture,
 * a probe or the code of an open-source client. `assumed`: our judgement, or what is commonly said. None was checked on a live account.
 */
type Basis = 'documented' | 'recorded' | 'assumed';

/** A fact and where it is from. */
export interface Sourced {
  readonly basis: Basis;
  /** Which page, client or reference section; or why we judge so. */
  readonly source: string;
}

/** A row of a provider's signal table; in a table the first row that matches decides. */
export interface SignalRow<Signal> extends Sourced {
  /** As it is printed in the provider's page. */
  readonly signal: string;
  readonly matches: (signal: Signal) => boolean;
  readonly class: FailureClass;
  /** The provider account is the cause, not the call. */
  readonly isLane?: true;
  /** Wait when the reply names none, in milliseconds. */
  readonly waitMs?: number;
  /** Tries after which it counts as lasting, where another hardly helps. Absent: the deadline alone bounds them. */
  readonly triesMax?: number;
}

/** A row that says that a call succeeded. */
export type SuccessRow<Signal> = Omit<SignalRow<Signal>, 'class' | 'isLane' | 'waitMs' | 'triesMax'>;

/** Tries of what the references call "few attempts" or "low count". At a minute apart they take four minutes. [own] */
export const fewTries = 5;

/** The row of a table that ends with one that matches everything. */
export function decide<Signal, Row extends { readonly matches: (signal: Signal) => boolean }>(
  table: readonly Row[],
  signal: Signal,
): Row {
  const row = table.find(({ matches }) => matches(signal));
  if (!row) throw new RangeError('the last row of a signal table matches everything');
  return row;
}

/**
 * What a class means for whoever sent the write. Of an update or a delete an unknown outcome is just tried again: its
 * end state is the same.
 */
export function meaningOf(failureClass: FailureClass): string {
  if (failureClass === 'unknown' || failureClass === 'timeout') return 'retry after reconciling';
  if (failureClass === 'credentials') return 'refresh';
  return retryOf(failureClass) === 'never' ? 'permanent' : 'retry';
}

/** The longest wait that we take from a provider: a deadline is at most 48 h (specification, Limits). */
const waitMsMax = 48 * 3_600_000;

/**
 * The header's wait in milliseconds: seconds, or an HTTP date. A date is read against the reply's own `Date`, so
 * that a wrong clock on either side does not matter. Absent, in the past or unreadable: undefined.
 * Source: RFC 9110, section 10.2.3.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = headers['retry-after']?.trim();
  if (!value) return undefined;
  const wait = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : untilDate(value, headers['date'], now);
  return Number.isFinite(wait) && wait > 0 ? Math.min(Math.ceil(wait), waitMsMax) : undefined;
}

function untilDate(value: string, date: string | undefined, now: number): number {
  const sentAt = date === undefined ? Number.NaN : Date.parse(date);
  return Date.parse(value) - (Number.isNaN(sentAt) ? now : sentAt);
}

/** Calls of one day, of all apps of the account. */
export interface DailyUsage {
  readonly used: number;
  readonly limit: number;
}

/**
 * The daily usage as a distribution over accounts: near 1, some customer is about to be refused. It is a total that the customer's
 * other apps use up too, so it is measured and never counted as a window.
 */
export function createUsageMeter(
  provider: string,
  metrics: Metrics,
  usageOf: (headers: Readonly<Record<string, string>>) => DailyUsage | undefined,
): (outcome: HttpOutcome) => void {
  const ratios = metrics.histogram('sluice_provider_daily_usage_ratio');
  return (outcome) => {
    const usage = outcome.kind === 'reply' ? usageOf(outcome.reply.headers) : undefined;
    if (usage) ratios.observe({ provider }, usage.used / usage.limit);
  };
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
  const masked = secrets.reduce(
    (rest, secret) => (secret.length < 8 ? rest : rest.replaceAll(secret, '[secret]')),
    text,
  );
  const plain = redactText(masked.replace(privateKey, '[secret]')).replace(unprintable, ' ').trim().toWellFormed();
  const bytes = Buffer.from(plain);
  if (bytes.length <= bytesMax) return plain;
  // The ellipsis takes three bytes; a character cut in two decodes to U+FFFD.
  return `${bytes
    .subarray(0, bytesMax - 3)
    .toString()
    .replace(/\ufffd{1,3}$/, '')}…`;
}
