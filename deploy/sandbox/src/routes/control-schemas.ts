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
    provider: { enum: ['hubspot', 'salesforce'] },
    token: secret,
    refreshToken: secret,
    app: object({ clientId: secret, clientSecret: secret }, ['clientId', 'clientSecret']),
    tokenLifetimeSeconds: { type: 'integer', minimum: 1, maximum: 31_536_000 },
    rotateRefreshTokens: { type: 'boolean' },
    refreshTokenGraceMs: durationMs,
    latencyMs: durationMs,
    latencyP95Ms: durationMs,
    markerField: text,
    searchLagMs: durationMs,
    limits: object({
      perTenSeconds: count,
      searchesPerSecond: count,
      perDay: count,
      countRefused: { type: 'boolean' },
    }),
  },
  ['name', 'provider'],
);

const reply = {
  status: { type: 'integer', minimum: 200, maximum: 599 },
  body: {},
  retryAfterSeconds: { type: 'integer', minimum: 0, maximum: 86_400 },
};

const action = (kinds: readonly string[], properties: JsonSchema = {}, required: readonly string[] = []): JsonSchema =>
  object({ kind: { enum: kinds }, ...properties }, ['kind', ...required]);

const faultAction = {
  type: 'object',
  required: ['kind'],
  discriminator: { propertyName: 'kind' },
  oneOf: [
    action(['status', 'commit-then-status'], reply, ['status']),
    action(['quota'], { policy: { enum: ['burst', 'daily'] }, retryAfterSeconds: reply.retryAfterSeconds }),
    action(['reset-before', 'commit-then-reset', 'reset-mid-reply']),
    action(['timeout'], { delayMs: durationMs, commit: { enum: ['never', 'first', 'last'] } }),
    action(['slow'], { delayMs: durationMs }),
    action(['partial'], {
      inputs: { type: 'array', minItems: 1, maxItems: 200, items: { type: 'integer', minimum: 0, maximum: 199 } },
      category: text,
      message: text,
      context: { type: 'boolean' },
    }),
  ],
};

/** Body of `POST /_sandbox/faults`. */
export const faultSchema = object({
  account: text,
  match: object({ method: text, path: text, nth: { type: 'integer', minimum: 1 } }),
  times: count,
  durationMs: { ...durationMs, minimum: 1 },
  probability: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
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
export const faultsQuery = object({ account: text, id: text });
export const stateQuery = object({ account: text, accounts: { type: 'boolean' } });

/** `as: gone` is a customer who uninstalled the app. */
export const revokeSchema = object({ as: { enum: ['revoked', 'gone'] } });
