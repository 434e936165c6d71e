/**
 * The seam between the sandbox and the providers it imitates. The sandbox owns what all providers have in common: accounts, bearer tokens and OAuth
 * grants, faults, ledger, journal. A provider owns its wire: addresses, bodies, rules, limits, ids. It is reached through one `ImitatedProvider` per
 * sandbox, listed in `sandbox.ts` (`createHubspot()`, `createSalesforce()`). That opens one `ImitatedAccount` per account.
 *
 * Order of a call: `callKind`, bearer token (`refuseBearer`), `admit`, faults, waiting, `answer`, `data.takeChanges` (ledger and journal), reply.
 * Between `answer` and `takeChanges` nothing waits, so `answer` is synchronous and the changes taken are those of that call.
 */

/** `hubspot`, `salesforce`, or one of the providers of a common REST form. */
export type ProviderName = string;

/** A call as it arrived, its body read. */
export interface ReceivedCall {
  /** Upper case. */
  readonly method: string;
  /** Without the query, as sent: percent escapes are not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case, repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string;
  /** Media type with parameters; empty when none was sent. */
  readonly contentType: string;
  /** Scheme and host the caller used: `http://127.0.0.1:4600`. */
  readonly origin: string;
}

/** A limit of a provider: of calls within seconds or at once, or of calls within a day. */
export type QuotaPolicy = 'burst' | 'daily';

/** A reply as it travels. An empty payload goes without a content type of its own. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
}

/** What a call is, determined without performing it: for the ledger, whatever its outcome. Never throws. */
export interface CallKind {
  /** `create`, `update`, `delete`, `read`, `search`, `batch-create`, …; `unknown` for a path the provider does not have. */
  readonly action: string;
  /** Records the call carries: the inputs of a batch, 1 for a single write or read, 0 for a search and the rest. */
  readonly records: number;
  /** Headers that the caller chose, for tests to check that they arrived. Never credentials. @default none are recorded */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Call limits of an account; 0 switches one off. A provider applies those it has. */
export interface CallLimits {
  /** Calls other than search in any ten seconds (HubSpot). */
  readonly perTenSeconds: number;
  /** Searches in any second (HubSpot). */
  readonly searchesPerSecond: number;
  /** Calls in a UTC day (HubSpot), in any 24 hours (Salesforce). */
  readonly perDay: number;
  /** Calls at once that have run for `longAfterMs` (Salesforce); one more call of any length is refused then. */
  readonly concurrentLong: number;
  /** After how long a call counts as long. @default 20000 */
  readonly longAfterMs: number;
}

/** What can be set per account, at its creation and later. */
export interface AccountSettings {
  /** Chance that a write meets the lock of another one on the same row, where the provider locks rows. 0 to 1. @default 0 */
  readonly lockContention: number;
  /** How long a write takes to be visible to search, where search lags, in milliseconds. @default 0 */
  readonly searchLagMs: number;
  /** The data centre of the account, by the provider's name, where it has several. @default the provider's first */
  readonly dataCentre?: string;
  /** Members of the account's token replies, added to the provider's own and replacing those of the same name. @default none */
  readonly tokenMembers?: Readonly<Record<string, string>>;
  /** A create may say when its record was made, where the provider has such a permission: Salesforce's audit fields. @default false */
  readonly auditFields?: boolean;
  /** Salesforce's My Domain, which the customer can change: the part before `.my.salesforce.com`. @default one derived from the name */
  readonly myDomain?: string;
  readonly limits: CallLimits;
}

/** One input of a call to refuse although it is well formed: what a `partial` fault scripts. */
export interface InputRefusal {
  /** The provider's code: `CONFLICT`, `UNABLE_TO_LOCK_ROW`. @default the provider's code for a refused value */
  readonly code: string | undefined;
  readonly message: string;
}

export interface CallContext {
  readonly now: Date;
  readonly settings: AccountSettings;
  /** Inputs to refuse, by zero-based position; a single write is input 0. Where a call is all or nothing, it fails whole. */
  readonly refusals: ReadonlyMap<number, InputRefusal>;
  /** Calls of the account that have been under way for `limits.longAfterMs`, this one not counted. */
  readonly longCalls: number;
}

/**
 * Something a call wrote. Plain JSON: it goes into the journal and is passed to `restore` as it was parsed
 * (moments are ISO strings there). The other members are the provider's own.
 */
export interface AccountChange {
  /** The record that was written or removed; absent for a change that the ledger does not count as one. */
  readonly recordId?: string;
  readonly [member: string]: unknown;
}

/** A link as the control API shows it. */
export interface ShownAssociation {
  /** The object at the other end, under its plain name. */
  readonly object: string;
  readonly id: string;
  /** Types of the link, where the provider has types. */
  readonly types?: readonly { readonly id: number; readonly name: string }[];
}

/** A record in `GET /_sandbox/records`. */
export interface ShownRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** HubSpot's values, all text; computed ones included. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Salesforce's values, typed; fields that are null may be absent. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Links to other records. */
  readonly associations?: readonly ShownAssociation[];
}

/** The data of one account. */
export interface AccountData {
  /** What was written since the last call of this method, in order: the real effect of a call. */
  takeChanges(): readonly AccountChange[];
  /** The values of the record as a change left it: field to value. Empty for a change that is not of a record. */
  fieldsOf(change: AccountChange): Readonly<Record<string, unknown>>;
  /** Restores a change of a journal. It does not count as a new change; its ids are never given again. */
  restore(change: AccountChange): void;
  /** The objects, under their plain names: `contacts`, `Account`. */
  objects(): readonly string[];
  /** The records of an object now, oldest first; undefined when there is no such object. */
  list(object: string): readonly ShownRecord[] | undefined;
}

/** Tokens of an account as a token endpoint gives them. */
export interface IssuedTokens {
  readonly accessToken: string;
  /** The current refresh token: after a rotation the new one. Absent: the access has none. */
  readonly refreshToken?: string | undefined;
  /** Whether the caller does not have the refresh token yet: a code was exchanged, or it was rotated. */
  readonly isRefreshTokenNew: boolean;
  /** Life of the access token from now. */
  readonly lifetimeSeconds: number;
}

/** One account at a provider: its data and its replies. */
export interface ImitatedAccount {
  readonly data: AccountData;
  /** Removes every record and what was used of the limits. Ids of records are never given twice. */
  clear(): void;
  /** What identifies the account at the provider, shown by the control API: `{portalId}`; `{orgId, workspaceRef}`. */
  readonly identity: { readonly workspaceRef: string } & Readonly<Record<string, string | number>>;
  /** Counts a call against the limits of the account. @returns the refusal when it is over one */
  admit(call: ReceivedCall, context: CallContext): WireReply | undefined;
  /** Performs an admitted call: its effect on the data, and its reply. */
  answer(call: ReceivedCall, context: CallContext): WireReply;
  /**
   * Rows that each input of a write locks while it is under way, by position; a row is anything with an id.
   * Absent: the provider locks none.
   */
  lockedRows?(call: ReceivedCall): readonly (readonly string[])[];
  /** How an input that needs a locked row is refused. */
  lockRefusal?(row: string): InputRefusal;
  /** The reply to a batch without the results of these inputs. Absent: replies have no results per input. */
  without?(reply: WireReply, inputs: readonly number[]): WireReply;
  /** What the provider sends with a status when nothing else is known: the default body of a fault. */
  statusReply(status: number): WireReply;
  /** How the provider refuses a call that is over a limit. */
  quotaReply(policy: QuotaPolicy): WireReply;
  /** The 200 of the token endpoint, with the members of the data centre in `settings`. */
  tokenReply(tokens: IssuedTokens, call: ReceivedCall, now: Date, settings: AccountSettings): WireReply;
}

/** Why a token endpoint refuses. `account-gone`: no such user, or access without a refresh token was revoked. */
export type TokenRefusal =
  | 'grant-type-unknown'
  | 'field-missing'
  | 'client-unknown'
  | 'client-secret-wrong'
  | 'refresh-token-gone'
  | 'account-gone'
  | 'code-gone'
  | 'redirect-mismatch'
  | 'verifier-wrong';

/** Tokens in the shape of a provider. */
export interface NewTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** A provider that the sandbox imitates. */
export interface ImitatedProvider {
  readonly name: ProviderName;
  /** First path segments of the provider, without slashes: `crm`, `services`. */
  readonly segments: readonly string[];
  readonly oauth: {
    /** Exact paths of the token endpoint. */
    readonly tokenPaths: readonly string[];
    /** The day on which one of them is gone: 410 from then on. @default they stay */
    readonly endsAt?: Readonly<Record<string, string>>;
    readonly authorizePath: string;
    /** Whether the page was asked for access that has a refresh token. @default always */
    readonly isOffline?: ((query: URLSearchParams) => boolean) | undefined;
    /** User of an account in the password grant; absent: the provider has no such grant. */
    readonly usernameOf?: (accountName: string) => string;
    /** Takes the client credentials grant. @default false */
    readonly hasClientCredentials?: boolean;
    /** Life of an access token for accounts without a setting of their own, in seconds. */
    readonly lifetimeSeconds: number;
  };
  /** The limits of its accounts; those that are absent are off. */
  readonly defaultLimits: Partial<CallLimits>;
  /** Its data centres, by the name that its accounts use; the first is the default. Absent: it has one. */
  readonly dataCentres?: readonly string[];
  /** Parameters that it adds to the redirect back to the app. @default none */
  returnParameters?(settings: AccountSettings): Readonly<Record<string, string>>;
  /** Field whose values the ledger records of each write, so that a test finds its own records. */
  readonly markerField: string;
  /** Called once per name. The same identity for the same name on every run; distinct for distinct names of one sandbox. */
  openAccount(name: string): ImitatedAccount;
  /**
   * Tokens of an account, the same for the same arguments on every run, distinct otherwise.
   * @param serial 0 for those the account is opened with, then 1, 2, …
   */
  newTokens(account: ImitatedAccount, name: string, serial: number): NewTokens;
  callKind(call: ReceivedCall): CallKind;
  /** The records of a write: field to value as sent. Empty for a body that cannot be read. */
  carriedFields(call: ReceivedCall): readonly Readonly<Record<string, unknown>>[];
  /** The credential of a call, which selects its account. @default what follows `Bearer` in `Authorization` */
  tokenOf?(call: ReceivedCall): string | undefined;
  /** The reply to a call whose bearer token selects no account of this provider, or has expired at `expiredAt`. */
  refuseBearer(reason: { readonly expiredAt: Date } | 'unknown', now: Date, call: ReceivedCall): WireReply;
  /** The reply of the token endpoint to a request it refuses. */
  refuseTokenRequest(reason: TokenRefusal): WireReply;
}
