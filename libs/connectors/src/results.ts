import { createHash } from 'node:crypto';
import { type FailureClass, ProviderError } from '@sluice/errors';
import type { RecordProblem } from '@sluice/types';

/** Why a provider did not write a record. The class is decided here, where the provider is known; no caller infers it from `status` later. */
export interface ProviderFailure {
  readonly class: FailureClass;
  /** Safe to show and to store: at most 2 KB, no control characters, tokens masked. */
  readonly message: string;
  /** HTTP status, absent when no reply arrived. */
  readonly status?: number;
  /** Do not send before this long, in milliseconds. A lower bound; absent: the caller's own backoff. */
  readonly retryAfterMs?: number;
  readonly providerRequestId?: string;
  /** Tries of the call, of whatever outcome, after which a failure of this kind is final when it came twice in a row. Absent: no bound. */
  readonly triesMax?: number;
  /** A conflict's record, when the provider names it and it can only belong to this record. */
  readonly existingId?: string;
  /**
   * What the failure speaks of. `record`: this record only. `call`: the whole call failed for one reason, which may
   * lie in a single record that the reply does not name. `lane`: the provider account; nothing else of it should be
   * sent before `retryAfterMs`. `search`: the searches of the account, and nothing else of it.
   */
  readonly scope: 'record' | 'call' | 'lane' | 'search';
  /**
   * The call had several records, and no record that failed this way was written. One record or their number may be the cause, so a smaller call may
   * pass. Absent for a failure that is about every record, such as an unknown object.
   */
  readonly mayBeOneRecord?: true;
  /** By its words the size of the call is the cause: a smaller one passes. Also of a call about one record, where that record alone is too much. */
  readonly isOfSize?: true;
  /**
   * What the provider finds wrong with the record; at most 20, of 3 KB together, as safe as the message. The caller's names of the fields are
   * known to who planned the record. Absent: the message is all.
   */
  readonly problems?: readonly RecordProblem[];
  /** With `mayBeOneRecord`: fields that the provider refuses whatever their value. Every record that carries one is bad. */
  readonly refusedFields?: readonly string[];
}

/** The outcome of one record. Writes do not throw for what a provider does; they return this. */
export type RecordResult =
  | {
      readonly ok: true;
      /** The provider's id. After a merge at the provider it may differ from the id that was updated. */
      readonly recordId: string;
      /** The record as the provider returned it, unmodified. Absent when its reply carries none. */
      readonly data?: Readonly<Record<string, unknown>>;
      readonly warnings?: readonly string[];
    }
  | { readonly ok: false; readonly error: ProviderFailure };

/** A record read from a provider. */
export interface ProviderRecord {
  readonly id: string;
  /** Provider field name to value. Unset fields are null or absent. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The provider's unmodified record. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly createdAt?: Date;
}

/** What a search answered. */
export interface RecordPage {
  readonly records: readonly ProviderRecord[];
  /** The provider has more that equal every filter, or may have: its page was full, and it does not state whether it was the last. */
  readonly hasMore: boolean;
}

/**
 * What a read by id showed of one record. Undefined: the provider says that there is none. A ProviderError: it does not read this one, or
 * its reply says nothing of it, which is no proof of absence.
 */
export type RecordRead = ProviderRecord | ProviderError | undefined;

/** For callers that need all of them. @throws ProviderError of the first that was not read */
export function allRead(reads: readonly RecordRead[]): (ProviderRecord | undefined)[] {
  return reads.map((read) => {
    if (read instanceof ProviderError) throw read;
    return read;
  });
}

/** A record at the provider that a create of unknown outcome may have made. */
export interface CreatedMatch {
  readonly recordId: string;
  readonly createdAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * What the lookup of one create of unknown outcome showed. `found`: records that carry every sent value and were created in time, oldest first; more
 * than one is possible. Each may be another create's: `near`, and without `consistent` what was not seen, count then as they do of `none`. `none`:
 * the lookup succeeded and found no such record. With `consistent` this proves that nothing was committed up to the lookup. A resend is then safe
 * once the late-commit window is over. Without it, the outcome stays unknown. `near` are records of that time that are similar but not equal, oldest
 * first. If no other create made one of them, the account may have changed ours into it, and `none` proves nothing. `cannot-look-up`: with `failure`
 * the lookup itself failed and can be repeated; without, this record can never be looked up.
 */
export type FoundCreated = {
  /** True: the lookup sees every committed record at once. False: it reads a search index that lags. */
  readonly consistent: boolean;
} & (
  | { readonly kind: 'found'; readonly matches: readonly CreatedMatch[]; readonly near?: readonly string[] }
  | { readonly kind: 'none'; readonly near?: readonly string[] }
  | { readonly kind: 'cannot-look-up'; readonly reason: string; readonly failure?: ProviderFailure }
);

/** The account behind a connection, as the provider itself reports it. */
export interface Workspace {
  /** May be a name in the account's address, which the customer can change. Absent: nothing tells accounts of this provider apart. */
  readonly workspaceRef?: string | undefined;
  /** The provider's own id of the account, which never changes. Absent: the reply gives none, and the name is all there is. */
  readonly accountId?: string;
  /** The provider's id of the user, where the provider reports it. */
  readonly consumerRef?: string;
}

/**
 * The reply of a token endpoint. The refresh token may be a new one, and the old one dead: save both before the first use.
 * Source: RFC 6749, sections 5.1 and 6.
 */
export interface FreshTokens {
  readonly accessToken: string;
  /** Absent: the old one stays in force. */
  readonly refreshToken?: string;
  /** Absent: the provider does not state it. */
  readonly expiresAt?: Date;
  readonly scopes?: readonly string[];
  /** The account and the user, where the reply names them. */
  readonly workspaceRef?: string;
  readonly accountId?: string;
  readonly consumerRef?: string;
  /**
   * The members of the connection's `providerMetadata` that the reply states. They override the given ones. After a refresh only the differing
   * members. Absent: nothing.
   */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Of a refresh: why the address that its reply names is not followed. Safe to log; the tokens are good all the same. */
  readonly refusedAddress?: string;
}

/**
 * The part of a connection's `providerMetadata` that the parameters of a customer's return state; may be empty. Or the parameter that is refused,
 * with the rule that it breaks.
 */
export type ReturnedAddress =
  | { readonly ok: true; readonly metadata: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly parameter: string; readonly value: string; readonly rule: string };

/** Warning of a create that was sent again and met the record of its earlier send, or one that another writer made in the same moment. */
export const wasThereWarning =
  'The record was there: an earlier send of it had been carried out, and its values were set again';

/** Clocks of ours and of a provider may differ by this much. Source: reference 1c. */
export const clockSkewMs = 10_000;

/** The lookup succeeded and found these records, which all state when they were created. */
export function foundRecords(
  records: readonly ProviderRecord[],
  visibility: { readonly consistent: boolean; readonly near?: readonly string[] },
): FoundCreated {
  const matches = records.map(({ id, createdAt, raw }) => ({ recordId: id, createdAt: createdAt as Date, data: raw }));
  matches.sort((one, other) => +one.createdAt - +other.createdAt);
  return { kind: 'found', ...visibility, matches };
}

/** The create has no value to look it up by. */
export function cannotLookUp(reason: string, consistent = false): FoundCreated {
  return { kind: 'cannot-look-up', consistent, reason };
}

/** The lookup failed; another may succeed. */
export function failedLookup(failure: ProviderFailure, consistent: boolean): FoundCreated {
  return { kind: 'cannot-look-up', consistent, reason: failure.message, failure };
}

type Fields = ProviderRecord['fields'];

/**
 * The creates that send everything that these fields name, and more. A record that carries all of their values belongs to one of them, and not to
 * the less detailed create. Names are compared in any case, which errs on the side of leaving a record alone.
 */
export function moreDetailed(fields: Fields, others: readonly Fields[]): Fields[] {
  const own = namesOf(fields);
  return others.filter((other) => {
    const names = namesOf(other);
    return names.size > own.size && [...own].every((name) => names.has(name));
  });
}

function namesOf(fields: Fields): Set<string> {
  const set = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return new Set(set.map(([name]) => name.toLowerCase()));
}

/**
 * SHA-256, in hex, of what two creates have in common when they can be taken for one another.
 * @param values names with normalised values: the unique one alone where there is one, else all that are not empty
 */
export function fingerprintOf(objectName: string, values: readonly (readonly [name: string, value: string])[]): string {
  const sorted = values.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([objectName, sorted]))
    .digest('hex');
}
