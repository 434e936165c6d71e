import type { InputRefusal } from '../control/imitated-provider';
import type { ObjectType } from './objects/object-type';
import type { PortalData } from './portal-data';
import type { RecordsStore } from './records-store';

/** One admitted HubSpot call, independent of how it travelled. */
export interface ApiCall {
  readonly portalId: number;
  readonly data: PortalData;
  /** How far search lags behind writes, in milliseconds. */
  readonly searchLagMs: number;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly bodyText: string;
  /** Scheme and host the caller used, for `Location`. */
  readonly origin: string;
  readonly now: Date;
  /** Inputs to refuse, by zero-based position. A single write is input 0. */
  readonly refusals: ReadonlyMap<number, InputRefusal>;
}

/** A call on the records of one object. */
export interface ObjectCall extends ApiCall {
  readonly type: ObjectType;
  readonly records: RecordsStore;
}

/** A call on the links from one object to another. */
export interface PairCall extends ApiCall {
  readonly from: ObjectType;
  readonly to: ObjectType;
}

/** What goes back when nothing disturbs the call. */
export interface ApiReply {
  readonly status: number;
  /** JSON; absent with 204. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers one kind of call. Throws `HubspotError` for a refusal; changes the data only when it does not throw. */
export type Action<Call extends ApiCall = ApiCall> = (call: Call) => ApiReply;
