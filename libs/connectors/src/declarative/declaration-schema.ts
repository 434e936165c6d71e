import { failureClasses } from '@sluice/errors';

/*
 * The form of a provider's file. No `anyOf` and no `oneOf`: their errors would name no line. What a schema cannot say without
 * them is in `declaration-rules.ts`. A `description` beside a pattern is the end of the error's sentence.
 */

const text = { type: 'string', minLength: 1, maxLength: 500 };
const pointer = {
  type: 'string',
  maxLength: 200,
  pattern: '^(/[^/]+)*$',
  description: 'a JSON pointer, such as /data/id, or empty for the whole',
};
const pathForm = {
  type: 'string',
  maxLength: 300,
  pattern: '^/[A-Za-z0-9_.{}/-]*$',
  description: 'a path that begins with /, of letters, digits, _ . - / and {names}',
};
const headerName = {
  type: 'string',
  maxLength: 100,
  pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
  description: 'the name of a header',
};
const headerValue = { type: 'string', maxLength: 500, pattern: '^[\\x20-\\x7e]*$', description: 'printable ASCII' };
const flag = { type: 'boolean' };
const milliseconds = { type: 'integer', minimum: 0, maximum: 172_800_000 };
const url = {
  type: 'string',
  maxLength: 300,
  pattern: '^https?://[^\\s?#@\\\\]+$',
  description: 'a URL that begins with https://, without query, fragment and user',
};
const word = {
  type: 'string',
  pattern: '^[A-Za-z][A-Za-z0-9_]{0,49}$',
  description: 'a word of letters, digits and _',
};
const parameterName = {
  type: 'string',
  pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,49}$',
  description: 'the name of a query parameter, of letters, digits, _ . and -',
};
const valueType = {
  enum: ['string', 'boolean', 'singleSelect', 'multiSelect', 'date', 'datetime', 'int', 'float', 'reference', 'other'],
};
/** Whatever JSON: a template. */
const anything = {};

type Properties = Readonly<Record<string, unknown>>;

const object = (properties: Properties, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const list = (items: unknown, minItems = 1) => ({ type: 'array', items, minItems, maxItems: 100 });
const map = (additionalProperties: unknown) => ({ type: 'object', additionalProperties, maxProperties: 100 });

const match = object({ at: pointer, equals: { type: ['string', 'number', 'boolean'] } }, ['at', 'equals']);
const attachment = object({ header: headerName, prefix: headerValue, query: word, basic: headerValue });

const reply = object({ id: pointer, record: pointer, success: match, empty: flag }, ['id']);
const writeProperties = { method: { enum: ['POST', 'PUT', 'PATCH'] }, path: pathForm, body: anything, reply };
const writeRequired = ['method', 'path', 'body', 'reply'];
const statuses = list({ type: 'integer', minimum: 200, maximum: 599 });
const missing = object({ status: statuses, code: list(text), says: text });
const update = object({ ...writeProperties, idForm: { enum: ['digits', 'word', 'segment'] }, missing }, writeRequired);

const filter = object({
  max: { type: 'integer', minimum: 1, maximum: 20 },
  parameter: text,
  text,
  join: { type: 'string', maxLength: 20 },
  escape: map({ type: 'string', maxLength: 10 }),
  refuse: { type: 'string', maxLength: 50 },
  json: anything,
});
const search = object(
  {
    method: { enum: ['GET', 'POST'] },
    path: pathForm,
    query: map(text),
    body: anything,
    filter,
    rows: pointer,
    row: pointer,
    id: pointer,
    fields: pointer,
    created: pointer,
    success: match,
    empty: flag,
    pageMax: { type: 'integer', minimum: 1, maximum: 1000 },
    exact: flag,
  },
  ['method', 'path', 'filter', 'rows', 'id', 'pageMax'],
);

const fields = object(
  {
    path: pathForm,
    query: map(text),
    list: pointer,
    name: pointer,
    label: pointer,
    type: pointer,
    types: map(valueType),
    readOnly: match,
    required: match,
    custom: match,
    options: object({ list: pointer, value: pointer, label: pointer }, ['list', 'value']),
  },
  ['path', 'list', 'name'],
);

const declaredObject = object({
  displayName: text,
  words: map(text),
  searchable: list(text),
  unique: text,
  fields: list(object({ name: text, label: text, type: valueType, readOnly: flag, required: flag }, ['name', 'type'])),
});

const oauth2 = object(
  {
    grants: list({ enum: ['authorizationCode', 'authorizationCodePKCE', 'clientCredentials', 'password'] }),
    authorizeUrl: url,
    tokenUrl: url,
    client: { enum: ['body', 'basic'] },
    token: attachment,
    scopeSeparator: { type: 'string', minLength: 1, maxLength: 3 },
  },
  ['grants', 'tokenUrl'],
);

const variable = object(
  {
    from: { enum: ['workspace', 'metadata'] },
    oneOf: list(text),
    form: { enum: ['label', 'text'] },
    default: text,
    displayName: text,
    prompt: text,
    told: object({ at: pointer, form: text }, ['at', 'form']),
    returned: list(object({ parameter: parameterName, form: text, values: map(text) }, ['parameter'])),
  },
  ['from'],
);

const errorShape = object(
  { at: pointer, message: list(pointer), code: list(pointer), field: list(pointer), existingId: pointer },
  ['at', 'message'],
);
const signal = object(
  {
    status: statuses,
    code: list(text),
    says: text,
    on: list({ enum: ['create', 'update', 'read'] }),
    class: { enum: failureClasses.filter((one) => one !== 'timeout') },
    waitMs: milliseconds,
    lane: flag,
  },
  ['class'],
);
const wait = object(
  {
    header: headerName,
    unit: { enum: ['secondsOrDate', 'seconds', 'milliseconds', 'epochSeconds', 'epochMilliseconds'] },
  },
  ['header', 'unit'],
);

/** JSON Schema of `Declaration`. */
export const declarationSchema = {
  ...object(
    {
      format: { const: 1 },
      name: {
        type: 'string',
        pattern: '^[a-z][A-Za-z0-9]{1,49}$',
        description: 'a name of letters and digits that begins with a small letter',
      },
      displayName: text,
      docsUrl: url,
      baseUrl: url,
      variables: map(variable),
      hosts: map(text),
      modules: list(text),
      headers: map(headerValue),
      auth: { ...object({ apiKey: attachment, basic: flag, oauth2, none: flag }), minProperties: 1 },
      account: object({ path: pathForm, workspace: pointer, consumer: pointer }, ['path']),
      objects: { ...map(declaredObject), minProperties: 1 },
      fieldNames: { enum: ['exact', 'case-insensitive'] },
      reserved: object({ create: list(text), update: list(text) }),
      create: object(writeProperties, writeRequired),
      update,
      search,
      fields,
      errors: list(errorShape),
      signals: list(signal),
      waits: list(wait),
      rate: object(
        {
          limit: { type: 'integer', minimum: 1, maximum: 1_000_000 },
          windowMs: { type: 'integer', minimum: 100, maximum: 86_400_000 },
          limitHeader: headerName,
        },
        ['limit', 'windowMs'],
      ),
      requestIdHeader: headerName,
      lateCommitMs: milliseconds,
      facts: {
        type: 'object',
        additionalProperties: {
          type: 'string',
          maxLength: 500,
          pattern: '^(recorded|documented|assumed): .+',
          description: '"recorded: …", "documented: …" or "assumed: …" with the source',
        },
      },
    },
    [
      'format',
      'name',
      'displayName',
      'baseUrl',
      'auth',
      'account',
      'objects',
      'create',
      'update',
      'errors',
      'rate',
      'facts',
    ],
  ),
} as const;
