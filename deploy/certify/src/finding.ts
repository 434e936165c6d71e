import type { FailureClass } from '@sluice/errors';

/** One row of the report. */
export interface Finding {
  /** A promise of the conformance suite, or what a cleanup has to prove. */
  readonly name: string;
  readonly verdict: 'ok' | 'differs' | 'not tried';
  /** What the account showed instead, or why it was not asked. */
  readonly detail?: string;
  /** Why it could not be tried, where that lies with the token, its rights, a limit or an outage. */
  readonly block?: Block;
}

/** Failures that say something of the token or of the moment, and nothing of the provider. */
const blocks = ['credentials', 'forbidden', 'quota', 'unavailable', 'timeout', 'unknown'] as const;
export type Block = (typeof blocks)[number];

/** The failure as one of the token or a temporary one; undefined: it is a finding about the provider. */
export function blockOf(failure: FailureClass): Block | undefined {
  return blocks.find((one) => one === failure);
}

/** Nothing follows for the provider: what was written cannot be read back here. */
export class NotTried extends Error {
  override readonly name = 'NotTried';
}
