import type { FailureClass } from '@sluice/errors';
import type { Sourced } from '../signals';

/** What a 2xx says of one record, beside the codes of its errors. */
interface OutcomeRow extends Sourced {
  readonly signal: string;
  readonly class: FailureClass;
}

/** What does not clearly say that a record was written is no success. Source: reference B2, B3, 1a, 1b. */
export const untold = {
  create: {
    signal: 'a create without `success`, without an id, or in a list of another length than was sent',
    class: 'unknown',
    basis: 'assumed',
    source: '1a: looked for, then failed',
  },
  update: {
    signal: 'an update without `success`, under another id, or in a list of another length than was sent',
    class: 'rejected',
    basis: 'assumed',
    source: '1a: "update: item failed"',
  },
  single: {
    signal: 'a single update or delete with a body that has no `success: true`',
    class: 'unknown',
    basis: 'assumed',
    source: 'providers.md, B2: the documented answer is an empty 204; updates and deletes may be sent again',
  },
  unexplained: {
    signal: '`success: false` without an error, or rolled back without a cause',
    class: 'rejected',
    basis: 'assumed',
    source: '1b: not written, and nothing says that another try would be',
  },
} as const satisfies Readonly<Record<string, OutcomeRow>>;
