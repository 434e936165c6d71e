/** What a run proved or disproved. `accepted`, `unknown`, `refused`, `labelled`, `deadlineErrorMs`, `recoveryMs` and `overdueMs` are reported; every other bound is 0. */
export interface Verdict {
  /** Writes that were answered as accepted (or, synchronous ones, as done). */
  readonly accepted: number;
  /** Writes whose reply the client lost. */
  readonly unknown: number;
  /** Writes that were answered with an error. */
  readonly refused: number;
  /** Records that ended with the words "outcome unknown". */
  readonly labelled: number;
  /** Accepted, and there is no operation, or it says success and the provider has nothing. */
  readonly lost: number;
  /** Markers of creates that stand in more than one provider record; also those of unknown outcome. */
  readonly duplicates: number;
  /** Sent again under one Idempotency-Key after a lost reply, and not there exactly once. */
  readonly keyed: number;
  /** Accepted operations that did not end within the bound. */
  readonly nonTerminal: number;
  /** The record is said to be written and the provider does not have it. */
  readonly falseSuccess: number;
  /** The record is said to have failed, or to be of unknown outcome though the provider can be asked, and the provider has it or could be asked. */
  readonly falseFailure: number;
  /** Records that failed, and the provider does not have them. Every record of a load is valid, so most rows allow none. */
  readonly failed: number;
  /** Batches of more than 100, of two keys, with members that the client was never answered, or flushed early or late. */
  readonly batch: number;
  /** Updates of one record that took effect in another order than they were accepted. */
  readonly order: number;
  /** Markers of one customer in another's account. */
  readonly crosstalk: number;
  /** Final statuses that changed. */
  readonly transitions: number;
  /** Operation ids that were answered 404 after they had been given out. */
  readonly notFound: number;
  /** Calls to a blocked account beyond one probe for each interval. */
  readonly blocked: number;
  /** Positions in logs, replies and messages that hold a seeded secret. */
  readonly secrets: number;
  /** The latest flush of a batch after it was due, in milliseconds. */
  readonly deadlineErrorMs: number;
  /** From the end of the load to the last operation's end, in milliseconds: also what open batches wait until they are due. */
  readonly recoveryMs: number;
  /** The longest that an operation took from the end of the load, or from the moment its batch was due if that is later, in milliseconds. */
  readonly overdueMs: number;
  /** A sentence for each of the first records that broke a count, for who has to find out why. */
  readonly examples: readonly string[];
}

/** The counts that must be 0, in the order of the report. */
export const invariants = [
  'lost',
  'duplicates',
  'keyed',
  'nonTerminal',
  'falseSuccess',
  'falseFailure',
  'failed',
  'batch',
  'order',
  'crosstalk',
  'transitions',
  'notFound',
  'blocked',
  'secrets',
] as const satisfies readonly (keyof Verdict)[];
export type Invariant = (typeof invariants)[number];
