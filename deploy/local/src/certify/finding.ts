import { ProviderError, type FailureClass } from '@sluice/errors';
import type { RecordResult } from '@sluice/connectors';

/** How what the account showed compares with what we say of it. */
export type Verdict = 'ok' | 'differs' | 'not tried';

/** One row of the report. */
export interface Finding {
  readonly capability: string;
  /** What our table of capabilities says. */
  readonly claimed: string;
  /** What the account showed, or why it was not asked. */
  readonly seen: string;
  readonly verdict: Verdict;
}

/** The account did something else than we say. */
export class Differs extends Error {
  override readonly name = 'Differs';
}

/** The account could not be asked: nothing follows for the capability. */
export class NotTried extends Error {
  override readonly name = 'NotTried';
}

/** Failures that say something of the moment and nothing of the provider. */
const passing: readonly FailureClass[] = ['quota', 'unavailable', 'timeout', 'unknown'];

/** @throws Differs for what is not as we say */
export function expect(isAsClaimed: boolean, seen: string): asserts isAsClaimed {
  if (!isAsClaimed) throw new Differs(seen);
}

/** The id of a record that was written. @throws Differs, or NotTried when the failure may pass */
export function written(result: RecordResult | undefined): string {
  if (result?.ok) return result.recordId;
  const { class: failure, message } = result?.error ?? { class: 'rejected' as const, message: 'no result' };
  if (passing.includes(failure)) throw new NotTried(`${failure}: ${message}`);
  throw new Differs(`${failure}: ${message}`);
}

/** The class of a refusal. @throws Differs for a success */
export function refused(result: RecordResult | undefined): FailureClass {
  if (!result || result.ok) throw new Differs('it was accepted');
  return result.error.class;
}

/** What a failure of a read says: that we are wrong, or only that it could not be tried. */
export function explained(error: unknown): Differs | NotTried {
  if (error instanceof Differs || error instanceof NotTried) return error;
  if (!(error instanceof ProviderError)) throw error;
  const text = `${error.class}: ${error.detail}`;
  return passing.includes(error.class) ? new NotTried(text) : new Differs(text);
}
