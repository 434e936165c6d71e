import type { InputRefusal } from '../control/imitated-provider';
import type { QueryCursors } from './query-cursors';
import type { RecordStore } from './record-store';

/** What an answer needs of the org it comes from. */
export interface Org {
  /** 18 characters. */
  readonly orgId: string;
  /** The integration user: author and owner of whatever names no other. */
  readonly userId: string;
  readonly name: string;
  /** My Domain label: the org is at `https://{workspaceRef}.my.salesforce.com` in its own words. */
  readonly workspaceRef: string;
  readonly store: RecordStore;
  readonly cursors: QueryCursors;
  /** Calls in the last 24 hours, and how many there may be. */
  usage(now: Date): { readonly used: number; readonly limit: number };
}

/** One admitted call, independent of how it travelled. */
export interface ApiCall {
  readonly org: Org;
  /** Path parameters, decoded: `object`, `id`, `field`, `value`, `locator`. */
  readonly params: Readonly<Record<string, string>>;
  /** `60.0`. */
  readonly version: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string;
  /** Scheme and host the caller used. */
  readonly origin: string;
  readonly now: Date;
  /** Inputs to refuse, by zero-based position. A single write is input 0. */
  readonly refusals: ReadonlyMap<number, InputRefusal>;
}

/** What goes back when nothing disturbs the call. Without a body: an empty reply. */
export interface ApiReply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers one kind of call. Throws `SalesforceError` for a refusal; changes the store only when it does not throw. */
export type ApiAction = (call: ApiCall) => ApiReply;
