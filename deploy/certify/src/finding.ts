import { ProviderError, type FailureClass } from '@sluice/errors';
import type { RecordResult } from '@sluice/connectors';

/** How what the account showed compares with what we say of it. */
export type Verdict = 'ok' | 'differs' | 'not tried';

/** One row of the report. */
export interface Finding {
  readonly capability: string;
  /** What our table of capabilities claims. */
  readonly claimed: string;
  /** What the account showed, or why it was not asked. */
  readonly seen: string;
  readonly verdict: Verdict;
  /** Why it could not be tried, where that lies with the token, its rights, a limit or an outage. */
  readonly hindrance?: Hindrance;
}

/** Failures that say something of the token or of the moment, and nothing of the provider. */
const hindrances = ['credentials', 'forbidden', 'quota', 'unavailable', 'timeout', 'unknown'] as const;
export type Hindrance = (typeof hindrances)[number];

/** The failure as one of the token or a temporary one; undefined: it is a finding about the provider. */
export function hindranceOf(failure: FailureClass): Hindrance | undefined {
  return hindrances.find((one) => one === failure);
}

/** The account did something else than we say. */
export class Differs extends Error {
  override readonly name = 'Differs';
}

/** The account could not be asked: nothing follows for the capability. */
export class NotTried extends Error {
  override readonly name = 'NotTried';

  constructor(
    message: string,
    readonly hindrance?: Hindrance,
  ) {
    super(message);
  }
}

/** @throws Differs for what is not as we say */
export function expect(isAsClaimed: boolean, seen: string): asserts isAsClaimed {
  if (!isAsClaimed) throw new Differs(seen);
}

/** The id of a record that was written. @throws Differs, or NotTried when the account hinders it */
export function written(result: RecordResult | undefined): string {
  if (result?.ok) return result.recordId;
  const { class: failure, message } = result?.error ?? { class: 'rejected' as const, message: 'no result' };
  throw meaningOf(failure, message);
}

/** @returns the class, when the account refused for the reason that we say. @throws Differs, NotTried */
export function refused(result: RecordResult | undefined, reason: FailureClass): string {
  if (!result || result.ok) throw new Differs('it was accepted');
  const { class: failure, message } = result.error;
  if (failure !== reason) throw meaningOf(failure, message);
  return reason;
}

/** The classes of several outcomes, in order. @throws NotTried when one of them was hindered */
export function shapeOf(results: readonly RecordResult[] = []): string {
  for (const result of results) {
    const meaning = result.ok ? undefined : meaningOf(result.error.class, result.error.message);
    if (meaning instanceof NotTried) throw meaning;
  }
  return results.map((result) => (result.ok ? 'ok' : result.error.class)).join(', ');
}

/** What a failed read proves: that our claim is wrong, or only that it could not be tested. */
export function explained(error: unknown): Differs | NotTried {
  if (error instanceof Differs || error instanceof NotTried) return error;
  if (!(error instanceof ProviderError)) throw error;
  return meaningOf(error.class, error.detail);
}

function meaningOf(failure: FailureClass, message: string): Differs | NotTried {
  const hindrance = hindranceOf(failure);
  const text = `${failure}: ${message}`;
  return hindrance === undefined ? new Differs(text) : new NotTried(text, hindrance);
}
