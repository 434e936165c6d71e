import { failureClasses, type FailureClass } from '@sluice/errors';
import { type FieldValueType, fieldValueTypes } from '@sluice/types';
import type { Steps } from './read-yaml';

/*
 * The form of a provider's file, as a JSON Schema and as the type of what fits it. No `anyOf` and no `oneOf`: their errors would name no line. What a
 * schema cannot say without them is in `declaration-rules.ts`. A `description` beside a pattern is the end of the error's sentence.
 * Texts may hold `{name}`: a variable, a word of the object, or one of the names of its position (`template.ts`).
 * Pointers are JSON pointers (RFC 6901); the empty one is the whole.
 */

declare const value: unique symbol;
/** A JSON Schema, and the type of the values that fit it. */
type Schema<T = unknown> = Readonly<Record<string, unknown>> & { readonly [value]?: T };
type Of<S> = S extends Schema<infer T> ? T : never;
type Properties = Readonly<Record<string, Schema>>;
type Values<P> = { readonly [K in keyof P]: Of<P[K]> };

const object = <R extends Properties, O extends Properties>(
  required: R,
  others: O,
  more?: object,
): Schema<Values<R> & Partial<Values<O>>> => ({
  type: 'object',
  additionalProperties: false,
  properties: { ...required, ...others },
  required: Object.keys(required),
  ...more,
});
const optional = <O extends Properties>(members: O, more?: object) => object({}, members, more);
const list = <T>(items: Schema<T>): Schema<readonly T[]> => ({ type: 'array', items, minItems: 1, maxItems: 100 });
const map = <T>(values: Schema<T>, more?: object): Schema<Readonly<Record<string, T>>> => {
  return { type: 'object', additionalProperties: values, maxProperties: 100, ...more };
};
const oneOf = <const T extends string>(...values: readonly T[]): Schema<T> => ({ enum: values });
const like = (pattern: string, description: string, maxLength: number): Schema<string> => {
  return { type: 'string', maxLength, pattern, description };
};
const shortText = (maxLength: number, minLength = 0): Schema<string> => ({ type: 'string', minLength, maxLength });
const integer = (minimum: number, maximum: number): Schema<number> => ({ type: 'integer', minimum, maximum });

const text = shortText(500, 1);
const pointer = like('^(/[^/]+)*$', 'a JSON pointer, such as /data/id, or empty for the whole', 200);
const pathForm = like(
  '^/[A-Za-z0-9_.{}/-]*$',
  'a path that begins with /, of letters, digits, _ . - / and {names}',
  300,
);
const headerName = like("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", 'the name of a header', 100);
const headerValue = like('^[\\x20-\\x7e]*$', 'printable ASCII', 500);
const flag: Schema<boolean> = { type: 'boolean' };
const milliseconds = integer(0, 172_800_000);
const url = like('^https?://[^\\s?#@\\\\]+$', 'a URL that begins with https://, without query, fragment and user', 300);
const valueType: Schema<FieldValueType> = oneOf(...fieldValueTypes);

/** A JSON value whose texts may hold `{name}`, or be `$name` for a whole value. */
export type Template = string | number | boolean | null | readonly Template[] | { readonly [name: string]: Template };
const template: Schema<Template> = {};

const anyScalar: Schema<string | number | boolean> = { type: ['string', 'number', 'boolean'] };
const match = object({ at: pointer, equals: anyScalar }, {});
/** A value that a reply must have at a position. */
export type Match = Of<typeof match>;

const attachment = optional({
  header: headerName,
  /** Stands before it in the header. @default nothing */
  prefix: headerValue,
  query: like('^[A-Za-z][A-Za-z0-9_]{0,49}$', 'a word of letters, digits and _', 50),
  /** `{key}` in what is sent as `Authorization: Basic`: `{key}:X`. */
  basic: headerValue,
});
/** How an API key or a token is sent; one of the three. */
export type Attachment = Of<typeof attachment>;

/** Words of the token endpoint that RFC 6749 does not have, or that mean something else here. */
const refusal = object(
  {
    /** The grant is over; the client id or secret of the provider app is refused; the same request succeeds later. */
    means: oneOf('grantEnded', 'appRefused', 'passes'),
  },
  {
    code: list(text),
    /** A part of the description, in any case. */
    says: text,
  },
);

const oauth2 = object(
  {
    grants: list(oneOf('authorizationCode', 'authorizationCodePKCE', 'clientCredentials', 'password')),
    tokenUrl: url,
  },
  {
    authorizeUrl: url,
    /** Where the app's id and secret go. @default 'body' */
    client: oneOf('body', 'basic'),
    /** @default `Authorization: Bearer` */
    token: attachment,
    /** @default a space */
    scopeSeparator: shortText(3, 1),
    /** Parameters of the page besides those of RFC 6749, such as those without which a code gives no refresh token. @default none */
    pageQuery: map(text),
    /** The scope without which a code gives no refresh token: asked for wherever scopes are. @default none */
    offlineScope: text,
    /** Before the rows that hold for every token endpoint, whatever the status of the reply. @default none */
    refusals: list(refusal),
  },
);
export type DeclaredOAuth2 = Of<typeof oauth2>;

const auth = optional(
  {
    apiKey: attachment,
    /** User name and password as RFC 7617 has them. */
    basic: flag,
    oauth2,
    none: flag,
    /** Schemes that the provider takes no more from a day on, with the reason and the remedy: for connections that have them, no new ones. */
    ending: optional({ apiKey: text, basic: text }),
  },
  { minProperties: 1 },
);
/** How accounts are opened: a member per kind of credentials. */
export type DeclaredAuth = Of<typeof auth>;

/** A cheap read that names the account. */
const account = object(
  { path: pathForm },
  {
    /** Absent: the workspace that the connection names, once it took the credentials. */
    workspace: pointer,
    consumer: pointer,
  },
);

const returned = object(
  {
    parameter: like(
      '^[A-Za-z][A-Za-z0-9_.-]{0,49}$',
      'the name of a query parameter, of letters, digits, _ . and -',
      50,
    ),
  },
  {
    /** The whole text, with `{value}` in the position of the value: `https://accounts.zoho.{value}`. */
    form: text,
    /** The provider's name of the value to the value: `us` to `com`. */
    values: map(text),
  },
);
/** A query parameter of the callback that holds the value of a variable; one of `form` and `values`. */
export type ReturnedVariable = Of<typeof returned>;

const variable = object(
  {
    /** `workspace`: the connection's `providerWorkspaceRef`; `metadata`: its `providerMetadata` of the variable's name. */
    from: oneOf('workspace', 'metadata'),
  },
  {
    /** What it may be. @default one label of a host name; with `form: text` any text that a header can carry */
    oneOf: list(text),
    /** @default 'label' */
    form: oneOf('label', 'text'),
    default: text,
    displayName: text,
    prompt: text,
    /**
     * Where the reply of the token endpoint names it; of `metadata` only. A value that it may not be ends in no token. `form`: the whole text, with
     * `{value}` in the position of the value: `https://www.zohoapis.{value}`.
     */
    told: object({ at: pointer, form: text }, {}),
    /** Parameters of the customer's return that name it; of `metadata` only. One with a value that it may not have ends in no token. */
    returned: list(returned),
  },
);
/** Something of an account that an address or a header needs. */
export type Variable = Of<typeof variable>;

const field = object({ name: text, type: valueType }, { label: text, readOnly: flag, required: flag });
export type DeclaredField = Of<typeof field>;

const customFields = object(
  {
    /** The member of a record that holds them. */
    at: like('^[A-Za-z][A-Za-z0-9_]{0,49}$', 'a word of letters, digits and _', 50),
  },
  {
    /** The form of names that are custom fields wherever they stand, as a regular expression. @default none: they need the path `$['at']['name']` */
    names: text,
    /**
     * `object`: `{"at": {"name": value}}`. `pairs`: `{"at": [{"id": name, "value": value}]}`. `name`: at the top of a record, as `at.name`.
     * @default 'object'
     */
    form: oneOf('object', 'pairs', 'name'),
    /** A filter on one, in place of `search.filter.text` or `.json`; `{field}` is its name. @default no search by them */
    filter: template,
  },
);
/** Where a provider keeps the fields that an account adds. */
export type CustomFields = Of<typeof customFields>;

const declaredObject = optional({
  displayName: text,
  /** Words of this object for `{name}`. */
  words: map(text),
  /** Fields that a filter may name. @default any */
  searchable: list(text),
  /** A field to what a search calls it. @default its own name */
  searchNames: map(text),
  /** Field whose value two records never share, also while a create is under way. */
  unique: text,
  /** Sent with a search of this object, besides `search.query`. */
  query: map(text),
  /** Fields of which a reply that shows another value than was sent says that it was not taken. */
  confirmed: list(text),
  /** In place of a request to the account. */
  fields: list(field),
  /** Fields that an account adds, which its field list marks `fields.custom`. @default at the top of a record, as the others */
  custom: customFields,
});
export type DeclaredObject = Of<typeof declaredObject>;

const statuses = list(integer(200, 599));
const writeMembers = {
  method: oneOf('POST', 'PUT', 'PATCH'),
  path: pathForm,
  /** `$fields` is replaced by the record. */
  body: template,
  reply: object(
    {
      /** To the id, a text or a whole number. */
      id: pointer,
    },
    {
      /** To the record; absent: the reply has none. */
      record: pointer,
      /** The record shows every field that it has, so one that it lacks was hardly kept: a warning. @default false */
      complete: flag,
      /** What a complete record never shows all the same. @default nothing */
      unshown: list(text),
      /** What else a 2xx must say. */
      success: match,
      /** A 2xx without a body is a success; of an update only. @default false */
      empty: flag,
    },
  ),
};
const create = object(writeMembers, {});
export type DeclaredWrite = Of<typeof create>;

/**
 * `digits`: 1 to 20 of them. `word`: 1 to 100 letters, digits, `_` and `-` of ASCII. `segment`: whatever a part of an address can hold,
 * at most 200 characters: for ids like `a.b` or `x:y`, which `word` refuses. One like `people/c1` only as a value in a body.
 */
const idForm = oneOf('digits', 'word', 'segment');
export type IdForm = Of<typeof idForm>;

const update = object(writeMembers, {
  /** What every id of a record looks like; one of another form is refused here, before anything is sent. @default 'word' */
  idForm,
  /** How a record that is not there is answered. @default a 404 */
  missing: optional({ status: statuses, code: list(text), says: text }),
});
export type DeclaredUpdate = Of<typeof update>;

const filter = optional({
  /** @default 20 */
  max: integer(1, 20),
  /** A query parameter of this name for each filter, with its value. */
  parameter: text,
  /** A part of a query language, with the value as a literal. `{filters}` is replaced by all of them. */
  text,
  join: shortText(20),
  /** A character and how a literal writes it. */
  escape: map(shortText(10)),
  /** Characters that no literal can hold. */
  refuse: shortText(50),
  /** A part of a body; `$value` is the value with its type. */
  json: template,
});
/** How one filter is expressed; one of `parameter`, `text` and `json`, or none where the query has `{field}` and `{value}`. */
export type DeclaredFilter = Of<typeof filter>;

const search = object(
  {
    method: oneOf('GET', 'POST'),
    path: pathForm,
    filter,
    /** To the list of rows. */
    rows: pointer,
    /** From the record to its id. */
    id: pointer,
    pageMax: integer(1, 1000),
  },
  {
    query: map(text),
    /** `$filters` is replaced by the filters, `$limit` for the size of the page, `$names` for the fields to return. */
    body: template,
    /** From a row to its record. @default the row */
    row: pointer,
    /** From the record to its fields. @default the record */
    fields: pointer,
    /** From the record to the moment it was made. */
    created: pointer,
    /** To what leads to the rows after these: absent, null, empty or false when there are none. @default a full page may have more */
    next: pointer,
    success: match,
    /** A 2xx without a body is a page without rows. @default false */
    empty: flag,
    /** Leaves out rows that show another value than was asked for: the provider finds similar values, and whole pages are requested. @default false */
    exact: flag,
  },
);
export type DeclaredSearch = Of<typeof search>;

const fields = object(
  {
    path: pathForm,
    /** To the list of fields; the others lead from one of them. */
    list: pointer,
    name: pointer,
  },
  {
    query: map(text),
    label: pointer,
    type: pointer,
    /** The provider's type to ours; others are `other`. */
    types: map(valueType),
    readOnly: match,
    required: match,
    custom: match,
    options: object({ list: pointer, value: pointer }, { label: pointer }),
  },
);
export type DeclaredFields = Of<typeof fields>;

const errorShape = object(
  {
    /** To an error or a list of them. */
    at: pointer,
    /** From there; the first that leads to a text or a number counts. */
    message: list(pointer),
  },
  {
    code: list(pointer),
    /** Of the field that is to blame; of a pointer the last step. */
    field: list(pointer),
    /** `at` leads to an object: the name of a field to its error, or to a list of them. @default false */
    byField: flag,
    /** What else explains it: shown behind the message by the last step of its pointer, where the message does not say it. */
    details: list(pointer),
    /** Of the record that is in the way. */
    existingId: pointer,
  },
);
export type ErrorShape = Of<typeof errorShape>;

const signal = object(
  { class: oneOf<Exclude<FailureClass, 'timeout'>>(...failureClasses.filter((one) => one !== 'timeout')) },
  {
    status: statuses,
    code: list(text),
    /** A part of the message, in any case; where a code alone is not enough. */
    says: text,
    /** @default every call */
    on: list(oneOf('create', 'update', 'read')),
    waitMs: milliseconds,
    /** The account is the cause, not the call. @default false */
    lane: flag,
  },
);
export type DeclaredSignal = Of<typeof signal>;

const wait = object(
  {
    header: headerName,
    /** `leftToday`: calls that are left until midnight UTC; with none left, the time until then. */
    unit: oneOf('secondsOrDate', 'seconds', 'milliseconds', 'epochSeconds', 'epochMilliseconds', 'leftToday'),
  },
  {},
);
export type DeclaredWait = Of<typeof wait>;

const formatVersion: Schema<1> = { const: 1 };
const fact = like(
  '^(recorded|documented|assumed): .+',
  '"recorded: …", "documented: …" or "assumed: …" with the source',
  500,
);
const facts: Schema<Readonly<Record<string, string>>> = { type: 'object', additionalProperties: fact };

export const declarationSchema = object(
  {
    /** Version of the format. */
    format: formatVersion,
    name: like('^[a-z][A-Za-z0-9]{1,49}$', 'a name of letters and digits that begins with a small letter', 50),
    displayName: text,
    /** Scheme, host and path; the host may hold variables. */
    baseUrl: url,
    auth,
    /** Where each part is from. */
    facts,
  },
  {
    docsUrl: url,
    /** @default none: the credentials are not tried, and an account is known by its workspace alone */
    account,
    /** By name; `*`: any other too. @default none: the provider is only connected */
    objects: map(declaredObject, { minProperties: 1 }),
    create,
    update,
    /** Forms that an error's body may have; the first that fits counts. @default the usual ones */
    errors: list(errorShape),
    /** The burst limit of an account. `limitHeader` states another limit for the same window. @default 5 calls in a second */
    rate: object({ limit: integer(1, 1_000_000), windowMs: integer(100, 86_400_000) }, { limitHeader: headerName }),
    variables: map(variable),
    /** A host that a URL comes to, with listed values in it, and the one that it is: `accounts.zoho.ca` to `accounts.zohocloud.ca`. */
    hosts: map(text),
    /** Parts of the provider, as manifests name them, that these calls reach. @default none that has a name */
    modules: list(text),
    /** Sent with every call. */
    headers: map(headerValue),
    /** How names of fields compare. @default 'exact' */
    fieldNames: oneOf('exact', 'case-insensitive'),
    /** Names that are no fields to be written. @default none */
    reserved: optional({ create: list(text), update: list(text) }),
    search,
    /** Where the account lists the fields of an object. */
    fields,
    /** Rows before those that hold for every declared provider. */
    signals: list(signal),
    /** Where a reply says how long to wait, before `retry-after` and its kin. @default none of its own */
    waits: list(wait),
    requestIdHeader: headerName,
    /** Where a success names the parts of the request that were ignored. */
    warningHeader: headerName,
    /** @default 30000 */
    lateCommitMs: milliseconds,
  },
);
/** A provider's file as it stands. */
export type DeclarationFile = Of<typeof declarationSchema>;
/** What one file says of a provider, with what is usual where it says nothing. */
export type Declaration = DeclarationFile & Required<Pick<DeclarationFile, 'objects' | 'errors' | 'rate'>>;

/** The limit is ours: few APIs allow less. */
export function completed(file: DeclarationFile): Declaration {
  return { objects: {}, errors: [], rate: { limit: 5, windowMs: 1_000 }, ...file };
}

/** A broken rule of a file, at the member that the steps lead to; as the end of a sentence: `names no variable`. */
export interface FileIssue {
  readonly steps: Steps;
  readonly rule: string;
}
