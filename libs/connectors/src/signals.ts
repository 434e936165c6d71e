import { retryOf, type FailureClass } from '@sluice/errors';

/**
 * Where a fact about a provider is from. `documented`: the provider's public pages or published OpenAPI. `recorded`: seen in a fixture,
 * a probe or the code of an open-source client. `assumed`: our judgement, or what is commonly said. None was checked on a live account.
 */
export type Basis = 'documented' | 'recorded' | 'assumed';

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
