import type { ProviderRecord } from '../results';
import type { SentValue } from './sent-values';

/** Clocks of ours and of Salesforce may differ by this much. Source: reference 1c. */
const clockSkewMs = 10_000;

/** One create of unknown outcome, with its place in the request. */
export interface Look {
  readonly index: number;
  readonly since: Date;
  /** The most telling first. */
  readonly sent: readonly SentValue[];
  /** The first of `sent`: what it is looked up by. */
  readonly key: SentValue;
  /** What creates of others have sent that tell more: a record that carries all of one of them is that one's. */
  readonly others: readonly (readonly SentValue[])[];
  /** False: there may be more of them. */
  readonly othersAreWhole: boolean;
}

/** What a look saw. */
export interface Rows {
  readonly records: readonly ProviderRecord[];
  /** False: there may be more that would have to be known. */
  readonly isWhole: boolean;
}

/** The earliest moment that a record of this create can state: CreatedDate has no milliseconds. */
export function earliestMs({ since }: Look): number {
  return Math.floor((+since - clockSkewMs) / 1_000) * 1_000;
}
