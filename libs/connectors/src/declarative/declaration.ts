import type { FailureClass } from '@sluice/errors';
import type { FieldNameForm, FieldValueType } from '@sluice/types';
import type { ObservedQuota } from '../requests';
import type { Steps } from './read-yaml';

/*
 * What one file says of a provider, after it was checked (`declaration-schema.ts`, `declaration-rules.ts`).
 * Texts may hold `{name}`: a variable, a word of the object, or one of the names of its position (`template.ts`).
 * Pointers are JSON pointers (RFC 6901); the empty one is the whole.
 */

/** A broken rule of a file, at the member that the steps lead to; as the end of a sentence: `names no variable`. */
export interface FileIssue {
  readonly steps: Steps;
  readonly rule: string;
}

/** A JSON value whose texts may hold `{name}`, or be `$name` for a whole value. */
export type Template = string | number | boolean | null | readonly Template[] | { readonly [name: string]: Template };

/** A value that a reply must have at a position. */
export interface Match {
  readonly at: string;
  readonly equals: string | number | boolean;
}

export interface Declaration {
  /** Version of the format. */
  readonly format: 1;
  readonly name: string;
  readonly displayName: string;
  readonly docsUrl?: string;
  /** Scheme, host and path; the host may hold variables. */
  readonly baseUrl: string;
  readonly variables?: Readonly<Record<string, Variable>>;
  /** A host that a URL comes to, with listed values in it, and the one that it is: `accounts.zoho.ca` to `accounts.zohocloud.ca`. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** Parts of the provider, as manifests name them, that these calls reach. @default none that has a name */
  readonly modules?: readonly string[];
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth: DeclaredAuth;
  readonly account: DeclaredAccount;
  /** By name; `*`: any other too. */
  readonly objects: Readonly<Record<string, DeclaredObject>>;
  /** How names of fields compare. @default 'exact' */
  readonly fieldNames?: FieldNameForm;
  /** Names that are no fields to be written. @default none */
  readonly reserved?: Readonly<Partial<Record<'create' | 'update', readonly string[]>>>;
  readonly create: DeclaredWrite;
  readonly update: DeclaredUpdate;
  readonly search?: DeclaredSearch;
  /** Where the account lists the fields of an object. */
  readonly fields?: DeclaredFields;
  /** Forms that an error's body may have; the first that fits counts. */
  readonly errors: readonly ErrorShape[];
  /** Rows before those that hold for every declared provider. */
  readonly signals?: readonly DeclaredSignal[];
  /** Where a reply says how long to wait. @default `retry-after` in seconds or as a date */
  readonly waits?: readonly DeclaredWait[];
  /** The burst limit of an account. */
  readonly rate: ObservedQuota & {
    /** Header that states another limit for the same window. */
    readonly limitHeader?: string;
  };
  readonly requestIdHeader?: string;
  /** @default 30000 */
  readonly lateCommitMs?: number;
  /** Where each part is from: `recorded: …`, `documented: …` or `assumed: …`. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Something of an account that an address or a header needs. */
export interface Variable {
  /** `workspace`: the connection's `providerWorkspaceRef`; `metadata`: its `providerMetadata` of the variable's name. */
  readonly from: 'workspace' | 'metadata';
  /** What it may be. @default one label of a host name; with `form: text` any text that a header can carry */
  readonly oneOf?: readonly string[];
  /** @default 'label' */
  readonly form?: 'label' | 'text';
  readonly default?: string;
  readonly displayName?: string;
  readonly prompt?: string;
  /** Where the reply of the token endpoint names it; of `metadata` only. A value that it may not be ends in no token. */
  readonly told?: ReportedVariable;
  /** Parameters of the customer's return that name it; of `metadata` only. One with a value that it may not have ends in no token. */
  readonly returned?: readonly ReturnedVariable[];
}

/** A text of a token reply that holds the value of a variable: `https://www.zohoapis.eu` by `https://www.zohoapis.{value}`. */
interface ReportedVariable {
  readonly at: string;
  /** The whole text, with `{value}` in the position of the value. */
  readonly form: string;
}

/** A query parameter of the callback that holds the value of a variable; one of `form` and `values`. */
export interface ReturnedVariable {
  readonly parameter: string;
  /** The whole text, with `{value}` in the position of the value: `https://accounts.zoho.{value}`. */
  readonly form?: string;
  /** The provider's name of the value to the value: `us` to `com`. */
  readonly values?: Readonly<Record<string, string>>;
}

/** How accounts are opened: a member per kind of credentials. */
export interface DeclaredAuth {
  readonly apiKey?: Attachment;
  /** User name and password as RFC 7617 has them. */
  readonly basic?: boolean;
  readonly oauth2?: DeclaredOAuth2;
  readonly none?: boolean;
}

/** How an API key or a token is sent; one of the three. */
export interface Attachment {
  readonly header?: string;
  /** Stands before it in the header. @default nothing */
  readonly prefix?: string;
  readonly query?: string;
  /** `{key}` in what is sent as `Authorization: Basic`: `{key}:X`. */
  readonly basic?: string;
}

export interface DeclaredOAuth2 {
  readonly grants: readonly ('authorizationCode' | 'authorizationCodePKCE' | 'clientCredentials' | 'password')[];
  readonly authorizeUrl?: string;
  readonly tokenUrl: string;
  /** Where the app's id and secret go. @default 'body' */
  readonly client?: 'body' | 'basic';
  /** @default `Authorization: Bearer` */
  readonly token?: Attachment;
  /** @default a space */
  readonly scopeSeparator?: string;
}

/** A cheap read that names the account. */
interface DeclaredAccount {
  readonly path: string;
  /** Pointer; absent: the workspace that the connection names, once it took the credentials. */
  readonly workspace?: string;
  readonly consumer?: string;
}

export interface DeclaredObject {
  readonly displayName?: string;
  /** Words of this object for `{name}`. */
  readonly words?: Readonly<Record<string, string>>;
  /** Fields that a filter may name. @default any */
  readonly searchable?: readonly string[];
  /** Field whose value two records never share, also while a create is under way. */
  readonly unique?: string;
  /** In place of a request to the account. */
  readonly fields?: readonly DeclaredField[];
}

export interface DeclaredField {
  readonly name: string;
  readonly label?: string;
  readonly type: FieldValueType;
  readonly readOnly?: boolean;
  readonly required?: boolean;
}

export interface DeclaredWrite {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  /** `$fields` is replaced by the record. */
  readonly body: Template;
  readonly reply: DeclaredReply;
}

interface DeclaredUpdate extends DeclaredWrite {
  /** What every id of a record looks like; one of another form is refused here, before anything is sent. @default 'word' */
  readonly idForm?: IdForm;
  /** How a record that is not there is answered. @default a 404 */
  readonly missing?: Pick<DeclaredSignal, 'status' | 'code' | 'says'>;
}

/**
 * `digits`: 1 to 20 of them. `word`: 1 to 100 letters, digits, `_` and `-` of ASCII. `segment`: whatever a part of an address can hold,
 * at most 200 characters: for ids like `a.b` or `x:y`, which `word` refuses. One like `people/c1` only as a value in a body.
 */
export type IdForm = 'digits' | 'word' | 'segment';

interface DeclaredReply {
  /** Pointer to the id, a text or a whole number. */
  readonly id: string;
  /** Pointer to the record; absent: the reply has none. */
  readonly record?: string;
  /** What else a 2xx must say. */
  readonly success?: Match;
  /** A 2xx without a body is a success; of an update only. @default false */
  readonly empty?: boolean;
}

export interface DeclaredSearch {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** `$filters` is replaced by the filters, `$limit` for the size of the page, `$names` for the fields to return. */
  readonly body?: Template;
  readonly filter: DeclaredFilter;
  /** Pointer to the list of rows. */
  readonly rows: string;
  /** Pointer from a row to its record. @default the row */
  readonly row?: string;
  /** Pointer from the record to its id. */
  readonly id: string;
  /** Pointer from the record to its fields. @default the record */
  readonly fields?: string;
  /** Pointer from the record to the moment it was made. */
  readonly created?: string;
  readonly success?: Match;
  /** A 2xx without a body is a page without rows. @default false */
  readonly empty?: boolean;
  readonly pageMax: number;
  /** Leaves out rows that show another value than was asked for: the provider finds similar values, and whole pages are requested. @default false */
  readonly exact?: boolean;
}

/** How one filter is expressed; one of `parameter`, `text` and `json`, or none where the query has `{field}` and `{value}`. */
export interface DeclaredFilter {
  /** @default 20 */
  readonly max?: number;
  /** A query parameter of this name for each filter, with its value. */
  readonly parameter?: string;
  /** A part of a query language, with the value as a literal. `{filters}` is replaced by all of them. */
  readonly text?: string;
  readonly join?: string;
  /** Character to what it is written as in a literal. */
  readonly escape?: Readonly<Record<string, string>>;
  /** Characters that no literal can hold. */
  readonly refuse?: string;
  /** A part of a body; `$value` is the value with its type. */
  readonly json?: Template;
}

export interface DeclaredFields {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Pointer to the list of fields; the others lead from one of them. */
  readonly list: string;
  readonly name: string;
  readonly label?: string;
  readonly type?: string;
  /** The provider's type to ours; others are `other`. */
  readonly types?: Readonly<Record<string, FieldValueType>>;
  readonly readOnly?: Match;
  readonly required?: Match;
  readonly custom?: Match;
  readonly options?: { readonly list: string; readonly value: string; readonly label?: string };
}

export interface ErrorShape {
  /** Pointer to an error or a list of them. */
  readonly at: string;
  /** Pointers from there; the first that leads to a text or a number counts. */
  readonly message: readonly string[];
  readonly code?: readonly string[];
  /** Of the field that is to blame. */
  readonly field?: readonly string[];
  /** Of the record that is in the way. */
  readonly existingId?: string;
}

export interface DeclaredSignal {
  readonly status?: readonly number[];
  readonly code?: readonly string[];
  /** A part of the message, in any case; where a code alone is not enough. */
  readonly says?: string;
  /** @default every call */
  readonly on?: readonly ('create' | 'update' | 'read')[];
  readonly class: Exclude<FailureClass, 'timeout'>;
  readonly waitMs?: number;
  /** The account is the cause, not the call. @default false */
  readonly lane?: boolean;
}

export interface DeclaredWait {
  readonly header: string;
  readonly unit: 'secondsOrDate' | 'seconds' | 'milliseconds' | 'epochSeconds' | 'epochMilliseconds';
}
