import type { ContactsStore } from './contacts-store';
import type { ErrorFields } from './errors';

/** The part of an account that answering a call needs. */
export interface CallAccount {
  readonly portalId: number;
  readonly contacts: ContactsStore;
  /** How far search lags behind writes, in milliseconds. */
  readonly searchLagMs: number;
}

/** A reason to refuse one input although it is well formed: what a `partial` fault asks for. */
export interface Refusal {
  /** Status of the whole call where it fails because of this input. */
  readonly status: number;
  readonly fields: ErrorFields;
  /** False leaves `context` out of the batch error, as some recorded replies do. */
  readonly named: boolean;
}

/** One admitted HubSpot call, independent of how it travelled. */
export interface ApiCall {
  readonly account: CallAccount;
  /** Path parameters, decoded: `objectType`, `id`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly bodyText: string;
  /** Scheme and host the caller used, for `Location`. */
  readonly origin: string;
  readonly now: Date;
  /** Inputs to refuse, by zero-based position. A single write is input 0. */
  readonly refusals: ReadonlyMap<number, Refusal>;
}

/** What goes back when nothing disturbs the call. */
export interface ApiReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers one kind of call. Throws `HubspotError` for a refusal; changes the store only when it does not throw. */
export type ApiAction = (call: ApiCall) => ApiReply;
