import type { FailureClass } from '@sluice/errors';
import type { SignalRow, Sourced } from '../signals';

/** One error inside a batch reply of 2xx. */
interface ItemSignal {
  readonly write: 'create' | 'update';
  readonly category: string | undefined;
  readonly message: string;
  /** See `Signal.isTakenValue`. */
  readonly isTakenValue: boolean;
}

/** Waits per 429 policy, in milliseconds. HubSpot sends no Retry-After with them. Source: reference A8. */
export const policyWaitMs = { SECONDLY: 1_000, TEN_SECONDLY_ROLLING: 10_000, DAILY: 15 * 60_000 };

const named =
  (...categories: string[]): SignalRow<ItemSignal>['matches'] =>
  ({ category }) =>
    category !== undefined && categories.includes(category);

/** Text of a server's trouble, where the category is none of the known ones. */
const serverTrouble = /internal|server error|time(d )?out|unavailable|temporar|try again|gateway/i;

/** Signal to class of one record, in order. Source: reference 1a, A3, A7. */
export const itemTable: readonly SignalRow<ItemSignal>[] = [
  {
    signal: 'CONFLICT, OBJECT_ALREADY_EXISTS',
    matches: named('CONFLICT', 'OBJECT_ALREADY_EXISTS'),
    class: 'conflict',
    basis: 'recorded',
    source: 'providers.md, A2, A3',
  },
  {
    signal: 'VALIDATION_ERROR that names taken unique values only (CONFLICTING_UNIQUE_VALUE)',
    matches: ({ isTakenValue }) => isTakenValue,
    class: 'conflict',
    basis: 'recorded',
    source: 'providers.md, A2; the code in open-source clients',
  },
  {
    signal: 'VALIDATION_ERROR',
    matches: named('VALIDATION_ERROR'),
    class: 'rejected',
    basis: 'recorded',
    source: 'providers.md, A3, A7',
  },
  {
    signal: 'OBJECT_NOT_FOUND on create',
    matches: (signal) => named('OBJECT_NOT_FOUND')(signal) && signal.write === 'create',
    class: 'rejected',
    basis: 'assumed',
    source: '1a: what a create does not find is what it points to, never itself',
  },
  {
    signal: 'OBJECT_NOT_FOUND on update',
    matches: named('OBJECT_NOT_FOUND'),
    class: 'not-found',
    basis: 'recorded',
    source: 'providers.md, A3',
  },
  {
    signal: 'MISSING_SCOPES, BANNED',
    matches: named('MISSING_SCOPES', 'BANNED'),
    class: 'forbidden',
    basis: 'documented',
    source: 'providers.md, A7',
  },
  {
    signal: 'RATE_LIMITS',
    matches: named('RATE_LIMITS'),
    class: 'unknown',
    waitMs: policyWaitMs.TEN_SECONDLY_ROLLING,
    basis: 'documented',
    source: '1a, A7',
  },
  {
    signal: 'INTERNAL_ERROR',
    matches: named('INTERNAL_ERROR'),
    class: 'unknown',
    basis: 'documented',
    source: '1a, A7',
  },
  {
    signal: 'another category, or none, with a text of server trouble',
    matches: ({ message }) => serverTrouble.test(message),
    class: 'unknown',
    basis: 'assumed',
    source: '1a: "unknown category with 5xx-like text"',
  },
  {
    signal: 'whatever is in no row',
    matches: () => true,
    class: 'rejected',
    basis: 'assumed',
    source: 'the default: HubSpot speaks of this record, so it decided about it',
  },
];

/** An input, a record or an association, of which a 2xx batch reply says nothing, also when both of its lists are empty. */
interface UnansweredRow extends Sourced {
  readonly signal: string;
  readonly class: FailureClass;
}

/** Never a success. Source: reference A3, 1a. */
export const unanswered = {
  create: {
    signal: 'a create without result or error',
    class: 'unknown',
    basis: 'recorded',
    source: 'providers.md, A3, 1a: looked for, then failed',
  },
  update: {
    signal: 'an update without result or error, in a reply that is COMPLETE or says nothing of it',
    class: 'rejected',
    basis: 'recorded',
    source: 'providers.md, A3, 1a: "no result from provider"',
  },
  pendingUpdate: {
    signal: 'the same in a reply that is PENDING, PROCESSING or CANCELED',
    class: 'unknown',
    basis: 'documented',
    source: 'providers.md, A3: HubSpot has not ended',
  },
  read: {
    signal: 'an id of a batch read, or of a look by a unique property, without result or error',
    class: 'unavailable',
    basis: 'documented',
    source:
      'providers.md, A3: what is not there is named, by OBJECT_NOT_FOUND; asked again, because absence decides a write',
  },
  association: {
    signal:
      'an association whose two ends stand in no result and no error, in a reply that is COMPLETE or says nothing of it',
    class: 'rejected',
    basis: 'assumed',
    source: '1a, "2xx, input without result or error": not made; a warning where fields were written',
  },
  pendingAssociation: {
    signal: 'the same of an association in a reply that is PENDING, PROCESSING or CANCELED',
    class: 'unknown',
    basis: 'assumed',
    source: 'providers.md, A3, A4: HubSpot has not ended; the record stays unfinished',
  },
} as const satisfies Readonly<Record<string, UnansweredRow>>;
