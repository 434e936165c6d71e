import { retryOf, type FailureClass } from '@sluice/errors';
import type { Metrics } from '@sluice/telemetry';
import type { HttpOutcome } from './http-client';

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
