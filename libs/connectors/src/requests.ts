import type { HeldBytes } from '@sluice/telemetry';
import type { Association, ForwardedHeader } from '@sluice/types';
import type { ProviderFailure } from './results';

/** The access to a customer's account. Held in memory for one call; never logged, never part of an error text. */
export interface Auth extends AccountAddress {
  /** OAuth access token, the provider's API key, or user name and password as RFC 7617 joins them (base64). */
  readonly accessToken: string;
  /** What `accessToken` is; HubSpot and Salesforce take a key in place of a token. @default 'oauth2' */
  readonly kind?: AccessKind;
}

/** Kinds of access to an account. Source: specification, Connection, authScheme. */
type AccessKind = 'oauth2' | 'apiKey' | 'basic' | 'none';

/** The parts of an account that its addresses and headers may need. */
interface AccountAddress {
  /** Needed by providers whose host name carries the workspace; HubSpot ignores it. */
  readonly workspaceRef?: string;
  /** Values of the connection's `providerMetadata`, by name; only declared providers use them. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** One HTTP exchange with a provider, for the attempt's row. No field value and no secret is in it. */
export interface ObservedExchange {
  /** Absent when no status line arrived. */
  readonly status?: number;
  /** The provider's own id of the request: its support needs it. */
  readonly providerRequestId?: string;
  readonly durationMs: number;
  /** The account's burst limit, where the reply states it. */
  readonly quota?: ObservedQuota;
}

/** `limit` calls in any window of `windowMs`. */
export interface ObservedQuota {
  readonly limit: number;
  readonly windowMs: number;
}

/** Members that every provider call takes. */
export interface ProviderCall {
  readonly auth: Auth;
  /**
   * Cancels the call. Before bytes have left, the outcome is `unavailable` (certainly not applied); after, `unknown`.
   */
  readonly signal?: AbortSignal;
  /** Keeps the capacity of large replies reserved for as long as their content is in use. @default until they are parsed */
  readonly held?: HeldBytes | undefined;
  /** Keeps capacity for a large description reserved while it is in use. It ends before another description is asked for. @default not counted */
  readonly describing?: HeldBytes | undefined;
  /** Where the call stands in its trace. Not sent: the provider is a third party, and trace ids would join its customers. */
  readonly traceparent?: string;
  /** Called once per HTTP exchange, before the outcome is returned. Must not throw. */
  readonly observe?: (exchange: ObservedExchange) => void;
  /** Called before each HTTP exchange: where it returns a failure, nothing is sent and the call ends with it. Absent: the caller has checked. */
  readonly withhold?: (quota: QuotaName) => Promise<ProviderFailure | undefined>;
}

/** The quota that an exchange counts in: `search`, where the provider has a quota of its own for searches, or the account's. */
export type QuotaName = 'account' | 'search';

/** A call about records of one object. */
export interface ObjectCall extends ProviderCall {
  /** The provider's object name: `contacts`. */
  readonly objectName: string;
}

/** Provider field name to JSON value. A present `null` means: empty this field. */
export type Fields = Readonly<Record<string, unknown>>;

/** Members that a create and an update share. Fields are provider names; settings and mappings are already applied. */
export interface SingleWrite extends ObjectCall {
  readonly fields: Fields;
  /** Only where `capabilities.forwardedHeaders` is true; elsewhere the plan is refused before it comes here. */
  readonly headers?: readonly ForwardedHeader[];
}

/**
 * An earlier send of the same write may have been carried out unseen. A create that sends a value of a unique key which no record has is then made by
 * that key, so that it cannot make two records. A delete whose record is gone then succeeds.
 */
export interface MayBeResend {
  /** @default false */
  readonly isResend?: boolean;
}

/** A create is looked up before a resend where the provider would not refuse a second record. */
interface MayBeCreatedBefore extends MayBeResend {
  /**
   * Which of these records, each named once, other creates are known to have made: none of them is what an earlier send of this one
   * made. A DependencyError of it is a failed lookup: nothing is sent. @default none
   */
  readonly findClaimed?: (recordIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** Create one record. */
export interface CreateWrite extends SingleWrite, MayBeCreatedBefore {
  /** Of a resend: when the record's earliest send was. What that made is not older. @default the record was never sent */
  readonly firstSentAt?: Date;
  readonly associations?: readonly Association[];
}

/** Update one record by the provider's id. */
export interface UpdateWrite extends SingleWrite {
  readonly recordId: string;
  /** Only where `capabilities.associations` has `update`. */
  readonly associations?: readonly Association[];
}

/** Delete one record by the provider's id. */
export interface DeleteWrite extends ObjectCall, MayBeResend {
  readonly recordId: string;
  readonly headers?: readonly ForwardedHeader[];
}

/** Several records of one object in one provider call: 1 to `limit` of the capability; more is a defect. */
export interface BatchWrite<Item> extends ObjectCall {
  readonly records: readonly Item[];
  readonly headers?: readonly ForwardedHeader[];
}

/** One record of a batch. A call that is sent again may have records that were never sent. */
type NewRecord = Pick<CreateWrite, 'fields' | 'associations' | 'firstSentAt'>;

/** All-or-none: the provider writes every record or none of them. @default false */
export interface BatchCreate extends BatchWrite<NewRecord>, MayBeCreatedBefore {
  readonly allOrNone?: boolean;
}

/** No record id may occur twice: the provider would refuse the whole call. */
export interface BatchUpdate extends BatchWrite<Pick<UpdateWrite, 'recordId' | 'fields' | 'associations'>> {
  /** Has no effect where `capabilities.allOrNone` lacks `update`. */
  readonly allOrNone?: boolean;
}

/** Read records by id, or by the values of a property that is unique at the provider; 1 to `limit` of either. */
export type BatchRead = ObjectCall & {
  /** Provider fields to return. */
  readonly fields: readonly string[];
} & (
    | { readonly ids: readonly string[]; readonly byProperty?: undefined }
    | { readonly byProperty: { readonly name: string; readonly values: readonly string[] }; readonly ids?: undefined }
  );

/** Equality filters joined by AND. Source: specification, Search records. */
export interface SearchRequest extends ObjectCall {
  readonly filters: readonly { readonly field: string; readonly value: string | number | boolean }[];
  readonly fields: readonly string[];
  /** Records of the one page, at most `capabilities.search.limit`. */
  readonly limit: number;
}

/** Creates of unknown outcome, to be looked up at the provider. */
export interface FindCreated extends ObjectCall {
  /** `since`: the earliest moment the create can have happened (the first attempt's `sentAt`). Skew is the connector's care. */
  readonly records: readonly { readonly fields: Fields; readonly since: Date }[];
  /**
   * Fields of other creates to the account that are not settled. A record that carries all values of a more detailed one than
   * ours is that one's. @default none
   */
  readonly others?: readonly Fields[];
  /**
   * False: there are more such creates. What is found by values that are not unique may then be theirs, and is `near`. @default true
   */
  readonly othersAreWhole?: boolean;
}

/** What an OAuth refresh takes. The secrets stay in memory for one call. Source: RFC 6749, section 6. */
export interface TokenRefresh extends Omit<ProviderCall, 'auth'>, AppClient, AccountAddress {
  readonly refreshToken: string;
}

/** The builder's app at a provider, for the length of one token call. */
export interface AppClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The parameters of the page where a customer allows an app in. Source: RFC 6749, 4.1.1; RFC 7636, 4.3. */
export interface AuthorizationRequest extends AccountAddress {
  readonly clientId: string;
  /** Where the customer's browser comes back to; the exchange must name the same. */
  readonly redirectUri: string;
  readonly state: string;
  /** S256 of the verifier, base64url. */
  readonly codeChallenge: string;
  /** Absent: the scopes that the app is configured with. */
  readonly scopes?: readonly string[];
}

/** The request that exchanges an authorization code for tokens. Source: RFC 6749, 4.1.3; RFC 7636, 4.5. */
export interface CodeExchange extends Omit<ProviderCall, 'auth'>, AppClient, AccountAddress {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}

/** The request for tokens without a customer's browser. Source: RFC 6749, 4.3 and 4.4. */
export type TokenGrant = Omit<ProviderCall, 'auth'> &
  AppClient &
  AccountAddress &
  (
    | { readonly grantType: 'client_credentials' }
    | { readonly grantType: 'password'; readonly username: string; readonly password: string }
  );
