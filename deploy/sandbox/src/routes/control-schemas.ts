type JsonSchema = Readonly<Record<string, unknown>>;

const text = { type: 'string', minLength: 1, maxLength: 500 };
const secret = { type: 'string', pattern: '^\\S{1,500}$' };
const durationMs = { type: 'integer', minimum: 0, maximum: 3_600_000 };
const count = { type: 'integer', minimum: 0, maximum: 1_000_000_000 };

const object = (properties: JsonSchema, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});

/** Body of `POST /_sandbox/accounts`. */
export const accountSchema = object(
  {
    name: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' },
    provider: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9]{0,63}$' },
    token: secret,
    refreshToken: secret,
    app: object({ clientId: secret, clientSecret: secret }, ['clientId', 'clientSecret']),
    rotateRefreshTokens: { type: 'boolean' },
    refreshTokenGraceMs: durationMs,
    lockContention: { type: 'number', minimum: 0, maximum: 1 },
    dataCentre: text,
    tokenMembers: { type: 'object', maxProperties: 20, additionalProperties: text },
    searchLagMs: durationMs,
    auditFields: { type: 'boolean' },
    myDomain: text,
    limits: object({
      perTenSeconds: count,
      searchesPerSecond: count,
      perDay: count,
      concurrentLong: count,
      longAfterMs: { ...durationMs, minimum: 1 },
    }),
  },
  ['name', 'provider'],
);

const askedWait = {
  retryAfterSeconds: { type: 'integer', minimum: 0, maximum: 86_400 },
  retryAfterForm: { enum: ['seconds', 'date'] },
  clockAheadSeconds: { type: 'integer', minimum: -31_536_000, maximum: 31_536_000 },
};

const reply = { status: { type: 'integer', minimum: 200, maximum: 599 }, body: {}, ...askedWait };

const action = (kinds: readonly string[], properties: JsonSchema = {}, required: readonly string[] = []): JsonSchema =>
  object({ kind: { enum: kinds }, ...properties }, ['kind', ...required]);

const inputs = { type: 'array', minItems: 1, maxItems: 200, items: { type: 'integer', minimum: 0, maximum: 199 } };

const faultAction = {
  type: 'object',
  required: ['kind'],
  discriminator: { propertyName: 'kind' },
  oneOf: [
    action(['status', 'commit-then-status'], reply, ['status']),
    action(['quota'], { policy: { enum: ['burst', 'daily'] }, ...askedWait }),
    action(['reset-before', 'commit-then-reset', 'reset-mid-reply', 'huge', 'nested', 'broken-encoding']),
    action(['timeout'], { delayMs: durationMs, commit: { enum: ['never', 'first', 'last'] } }),
    action(['slow', 'drip'], { delayMs: durationMs }),
    action(['omit'], { inputs }),
    action(['redirect'], { location: text, status: { enum: [301, 302, 303, 307, 308] }, commit: { type: 'boolean' } }, [
      'location',
    ]),
    action(['partial'], { inputs, category: text, message: text }),
  ],
};

/** Body of `POST /_sandbox/faults`. */
export const faultSchema = object({
  account: text,
  match: object({
    method: text,
    path: text,
    carries: text,
    recordsMin: count,
    nth: { type: 'integer', minimum: 1 },
  }),
  times: count,
  durationMs: { ...durationMs, minimum: 1 },
  seed: { type: 'integer' },
  action: faultAction,
  mixture: {
    type: 'array',
    minItems: 1,
    maxItems: 20,
    items: object({ share: { type: 'number', exclusiveMinimum: 0, maximum: 1 }, action: faultAction }, [
      'share',
      'action',
    ]),
  },
});

export const ledgerQuery = object({ account: text, since: text });
export const recordsQuery = object({ account: text, object: text }, ['account']);
/** Of what is removed: of one account, or of all. */
export const accountQuery = object({ account: text });
