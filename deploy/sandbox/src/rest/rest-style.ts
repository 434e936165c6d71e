import type { AccountSettings, ReceivedCall, TokenRefusal } from '../control/imitated-provider';
import { decodeSegment, paramsOf } from '../crm/api-call';
import type { StoredRecord } from '../crm/record-store';

/*
 * The differences between REST providers: addresses, bodies, replies, errors. Each style is written from public pages and the code of open-source
 * clients, not from the files that our connectors read. A shared source would hide an error that both copy.
 */

/** Field name to value. */
export type Fields = Readonly<Record<string, unknown>>;

export type RestRecord = StoredRecord<unknown>;

/** An object of a provider, with the part of its rules that is imitated. */
export interface RestObject {
  /** Its name in addresses. */
  readonly name: string;
  /** Its name in bodies, where that differs. */
  readonly one?: string;
  /** The fields there are, with the provider's word for the type; others are refused. */
  readonly fields: Readonly<Record<string, string>>;
  readonly required: readonly string[];
  /** Of the fields, those that a customer added, where they are kept apart. */
  readonly custom?: readonly string[];
  /** Fields that keep the value they have: an update of them is passed over without a word. @default none */
  readonly kept?: readonly string[];
  /** No two records share its value, in any case. */
  readonly unique?: string;
}

/** What a call does. */
export type RestAction = 'create' | 'update' | 'search' | 'account-details' | 'fields';

export interface RestEndpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Below the provider's root; `:object` and `:id` are parameters, `:fieldsOf` is an address of fields. */
  readonly path: string;
  readonly action: RestAction;
}

/** A refused call. */
export interface RestRefusal {
  readonly reason:
    | 'form'
    | 'unknown-field'
    | 'required'
    | 'duplicate'
    | 'no-record'
    | 'no-object'
    | 'credentials'
    | 'quota'
    | 'status';
  readonly field?: string;
  /** The call was a search, which is refused as a whole. */
  readonly isSearch?: boolean;
  readonly existingId?: string;
  /** The reply that a fault requests instead of the provider's own. */
  readonly code?: string | undefined;
  readonly message?: string;
  /** With `status`. */
  readonly status?: number;
}

export interface RestReply {
  readonly status: number;
  /** JSON; absent: none. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Fields and values that a search compares, joined by AND. */
export type Conditions = readonly (readonly [field: string, value: string])[];

/** A search as it was sent. */
export interface SentSearch {
  readonly call: ReceivedCall;
  /** The parsed body; undefined without one. */
  readonly body: unknown;
}

/** How a provider names the data centre of an account. */
export interface DataCentre {
  /** Parameters of the customer's return besides RFC 6749. */
  readonly returned: Readonly<Record<string, string>>;
  /** Members of a token reply beyond RFC 6749. */
  readonly tokenMembers: Readonly<Record<string, string>>;
}

export interface RestStyle {
  readonly name: string;
  readonly objects: readonly RestObject[];
  /** Field that tests mark their records in. */
  readonly markerField: string;
  /** Below the provider's root. */
  readonly tokenPath: string;
  readonly authorizePath: string;
  /** Whether the page was asked for a refresh token. @default always */
  readonly isOffline?: (query: URLSearchParams) => boolean;
  /** How its token endpoint refuses, where it departs from RFC 6749, 5.2. */
  readonly tokenErrors?: { readonly status: number; readonly codes: Partial<Record<TokenRefusal, string>> };
  readonly endpoints: readonly RestEndpoint[];
  /** @param serial 1, 2, 3 … over all accounts */
  newId(serial: number): string;
  /** The credential of a call. */
  tokenOf(call: ReceivedCall): string | undefined;
  /** The call asks for a version that the provider serves no more. @default none ends */
  isOver?(call: ReceivedCall, now: Date): boolean;
  /** The fields that a write carries; undefined for a body of another form. */
  fieldsOf(body: unknown, object: RestObject, id: string | undefined): Fields | undefined;
  /** The body of the reply to a write. */
  written(record: RestRecord, object: RestObject, action: 'create' | 'update'): unknown;
  /** The status of a create. @default 201 */
  readonly createdStatus?: number;
  /** The body of the reply to a search. Undefined: 204. */
  found(records: readonly RestRecord[], object: RestObject): unknown;
  /** The object that a search is about, where its address does not name it. */
  searched?(search: SentSearch): string | undefined;
  /** Undefined: the search cannot be read. */
  conditions(search: SentSearch): Conditions | undefined;
  /** Near matches of the conditions are found too. @default false */
  readonly findsAlike?: boolean;
  account(workspaceRef: string): unknown;
  /** Its data centres, by the word that its accounts name them by; the first is the usual one. @default one, which nothing names */
  readonly dataCentres?: Readonly<Record<string, DataCentre>>;
  /** The object whose fields are at this address, by the parameter or the query. */
  describedBy?(call: ReceivedCall, param: string): string | undefined;
  fields?(object: RestObject): unknown;
  refused(refusal: RestRefusal): RestReply;
  /** The headers of a limit of `limit` calls in ten seconds. */
  rateHeaders?(limit: number, left: number): Readonly<Record<string, string>>;
}

/** Where an account is; undefined for a provider without data centres. */
export function dataCentreOf(
  { dataCentres = {} }: RestStyle,
  { dataCentre }: Pick<AccountSettings, 'dataCentre'>,
): DataCentre | undefined {
  return dataCentre === undefined ? Object.values(dataCentres)[0] : dataCentres[dataCentre];
}

/** Which endpoint a call meets, and the parameters of its address, decoded. */
export interface FoundCall {
  readonly action: RestAction;
  readonly params: Readonly<Record<string, string>>;
}

/** Segments are compared one by one, the empty one behind a slash at the end too. */
export function findCall(style: RestStyle, method: string, path: string): FoundCall | undefined {
  const sent = path.slice(rootOf(style).length).split('/').map(decodeSegment);
  if (!sent.every((segment) => segment !== undefined)) return undefined;
  for (const endpoint of style.endpoints) {
    const params = endpoint.method === method ? paramsOf(endpoint.path.split('/'), sent) : undefined;
    if (params) return { action: endpoint.action, params };
  }
  return undefined;
}

/** Every address of the provider begins with it. */
export function rootOf({ name }: RestStyle): string {
  return `/rest/${name}`;
}
