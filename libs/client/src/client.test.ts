import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createSluiceClient,
  SluiceApiError,
  SluiceAuthenticationError,
  SluiceConflictError,
  SluiceConnectionError,
  SluiceForbiddenError,
  SluiceNotFoundError,
  SluiceRateLimitError,
  SluiceRecordError,
  SluiceRequestError,
  SluiceServerError,
  SluiceTimeoutError,
} from './index';

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection breaks in place of a reply. */
  readonly breaks?: boolean;
}
interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let server: Server;
let answers: Answer[] = [];
let seen: Seen[] = [];
beforeAll(async () => {
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      seen.push({ method: req.method, url: req.url, headers: req.headers, body: Buffer.concat(chunks).toString() });
      const { status = 200, body, headers = {}, breaks = false } = answers.shift() ?? {};
      if (breaks) {
        req.socket.destroy();
        return;
      }
      const contentType = status < 400 ? 'application/json' : 'application/problem+json';
      res.writeHead(status, { 'content-type': contentType, ...headers });
      res.end(body === undefined ? undefined : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  answers = [];
  seen = [];
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
const client = () =>
  createSluiceClient({ baseUrl: url(), searchUrl: url(), writeUrl: url(), apiKey: 'k', projectIdOrName: 'demo' });
const problem = (more: object) => ({
  status: 503,
  body: { code: 'service.unavailable', detail: 'busy', remedy: 'later', requestId: 'r1', retryable: true, ...more },
});
const soon = () => new Date(Date.now() + 5).toISOString();

it('fills path, query, body and key', async () => {
  answers = [{ body: { id: 'o 1' } }, { body: { operationId: 'o' } }];
  await client().management.getOperation({ operationId: 'o 1', waitSeconds: 3 });
  await client().write.writeRecords(
    { integrationId: 'i', objectName: 'contacts', body: { groupRef: 'g', type: 'create', record: { a: 1 } } },
    { idempotencyKey: 'once' },
  );
  expect(seen[0]).toMatchObject({ method: 'GET', url: '/v1/projects/demo/operations/o%201?waitSeconds=3' });
  expect(seen[0]?.headers['x-api-key']).toBe('k');
  expect(seen[1]).toMatchObject({ method: 'POST', url: '/v1/projects/demo/integrations/i/objects/contacts' });
  expect(seen[1]?.headers['idempotency-key']).toBe('once');
  expect(JSON.parse(seen[1]?.body ?? '')).toEqual({ groupRef: 'g', type: 'create', record: { a: 1 } });
});

it('sends a bearer token that is made when it is needed', async () => {
  answers = [{ body: [] }];
  await createSluiceClient({ baseUrl: url(), token: () => 'jwt' }).management.listProjects();
  expect(seen[0]?.headers.authorization).toBe('Bearer jwt');
});

it('throws what the problem says', async () => {
  answers = [{ status: 404, body: { code: 'operation.not-found', detail: 'none', remedy: 'check', retryable: false } }];
  const error = await client()
    .management.getOperation({ operationId: 'x' })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SluiceApiError);
  expect(error).toMatchObject({
    status: 404,
    code: 'operation.not-found',
    detail: 'none',
    remedy: 'check',
    issues: [],
  });
  expect(String(error)).toContain('getOperation was answered with 404 operation.not-found: none');
});

describe('an error has the class of its status:', () => {
  const invalid = { code: 'request.invalid', detail: 'wrong', issues: [{ in: 'body', name: 'type', detail: 'no' }] };
  it.each([
    [400, SluiceRequestError, invalid],
    [401, SluiceAuthenticationError, { code: 'auth.missing' }],
    [403, SluiceForbiddenError, { code: 'write.delete-not-enabled' }],
    [404, SluiceNotFoundError, { code: 'operation.not-found' }],
    [409, SluiceConflictError, { code: 'connection.bad-credentials' }],
    [410, SluiceNotFoundError, { code: 'operation.plans-deleted' }],
    [413, SluiceRequestError, { code: 'request.too-large' }],
    [415, SluiceRequestError, { code: 'request.media-type' }],
    [422, SluiceRequestError, { code: 'request.idempotency-mismatch', operationId: 'o' }],
    [422, SluiceRecordError, { operationId: 'o', errors: [{ message: 'exists already' }], result: { success: false } }],
    [429, SluiceRateLimitError, { code: 'provider.quota-exhausted' }],
    [502, SluiceServerError, { code: 'provider.unavailable' }],
    [418, SluiceApiError, {}],
  ])('%i is a %p', async (status, errorClass, body) => {
    answers = [{ status, body }];
    const error: unknown = await client()
      .management.getOperation({ operationId: 'x' })
      .catch((thrown: unknown) => thrown);
    expect((error as Error).constructor).toBe(errorClass);
    expect(error).toBeInstanceOf(SluiceApiError);
    expect(error).toMatchObject({ name: errorClass.name, status, body });
    expect(seen).toHaveLength(1);
  });
});

it('has the problems of the record, or of every record of the batch', async () => {
  const problems = [{ field: 'email', code: 'INVALID_EMAIL', message: 'is wrong' }];
  const results = [{ success: false, problems }, { success: true }, { success: false, problems: [{ message: 'x' }] }];
  const bodies: [object, object[]][] = [
    [{ operationId: 'o', errors: [], problems, result: { success: false } }, problems],
    [{ operationId: 'o', successCount: 0, failureCount: 2, results }, [...problems, { message: 'x' }]],
    // Of a server before 0.3.0.
    [{ operationId: 'o', errors: [], result: { success: false } }, []],
  ];
  for (const [body, expected] of bodies) {
    answers = [{ status: 422, body }];
    const failing = client().management.getOperation({ operationId: 'x' });
    await expect(failing).rejects.toMatchObject({ problems: expected });
  }
});

describe('what nobody reads is refused before anything is sent:', () => {
  const management = () => client().management;
  it.each([
    [
      'a parameter',
      () => management().listConnections({ groupref: 'g' } as never),
      /takes no parameter "groupref"\. Known: .*groupRef/,
    ],
    [
      'a body where there is none',
      () => management().getOperation({ operationId: 'o', body: {} } as never),
      /no parameter "body"/,
    ],
    ['a parameter of a raw call', () => client().raw.management.listProjects({ pagesize: 1 }), /"pagesize"/],
    [
      'an option of a call',
      () => management().listProjects({}, { idempotencykey: 'k' } as never),
      /no option "idempotencykey"/,
    ],
    [
      'an option of the client',
      async () => createSluiceClient({ url: 'x' } as never),
      /no option "url"\. Known: baseUrl/,
    ],
  ])('%s', async (_what, call, message) => {
    await expect((async () => await call())()).rejects.toThrow(message);
    expect(seen).toEqual([]);
  });
});

describe('a header that cannot be sent is refused by its name before anything is sent:', () => {
  const idempotent = (idempotencyKey: string) => client().management.listProjects({}, { idempotencyKey });
  it.each([
    ['a line break', () => idempotent('a\nb'), 'The header idempotency-key has "\\n". A header takes one line'],
    ['a character beyond Latin-1', () => idempotent('zoë-ł'), 'The header idempotency-key has "ł".'],
    [
      'one of the call',
      () => client().raw.management.listProjects({}, { headers: { 'x-a': 'a\0' } }),
      'The header x-a',
    ],
    [
      'the key of the client',
      () => createSluiceClient({ baseUrl: url(), apiKey: 'k…' }).management.listProjects(),
      'The header x-api-key has "…".',
    ],
  ])('%s', async (_what, call, message) => {
    await expect(call()).rejects.toThrow(TypeError);
    await expect(call()).rejects.toThrow(message);
    expect(seen).toEqual([]);
  });

  it('a key that was read with the end of its line, and Latin-1, are sent', async () => {
    await createSluiceClient({ baseUrl: url(), apiKey: 'k\n' }).management.listProjects({}, { idempotencyKey: 'zoë' });
    expect(seen).toEqual([
      expect.objectContaining({ headers: expect.objectContaining({ 'x-api-key': 'k', 'idempotency-key': 'zoë' }) }),
    ]);
  });
});

it('calls onWarning with the warning of each reply that has one', async () => {
  const onWarning = jest.fn();
  const headers = { 'Sluice-Warning': 'does not declare write.objects.contact: no effect' };
  answers = [{ body: [], headers }, { body: [] }, { ...problem({ retryable: false }), headers }];
  const { management, raw } = createSluiceClient({ baseUrl: url(), apiKey: 'k', onWarning });
  await raw.management.listProjects();
  await management.listProjects();
  expect(onWarning.mock.calls).toEqual([[headers['Sluice-Warning']]]);
  await expect(management.listProjects()).rejects.toBeInstanceOf(SluiceServerError);
  expect(onWarning).toHaveBeenCalledTimes(2);
});

describe('iterate', () => {
  const all = async <Item>(items: AsyncGenerator<Item>) => {
    const found: Item[] = [];
    for await (const item of items) found.push(item);
    return found;
  };

  it('follows the tokens of the replies', async () => {
    answers = [
      { body: { results: [{ id: '1' }, { id: '2' }], pagination: { done: false, nextPageToken: 't' } } },
      { body: { results: [], pagination: { done: false, nextPageToken: 'u' } } },
      { body: { results: [{ id: '3' }], pagination: { done: true } } },
    ];
    const found = await all(client().iterate.listOperationsForProject({ status: 'failure', pageSize: 2 }));
    expect(found.map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(seen.map(({ url: address }) => address)).toEqual([
      '/v1/projects/demo/operations?status=failure&pageSize=2',
      '/v1/projects/demo/operations?status=failure&pageSize=2&pageToken=t',
      '/v1/projects/demo/operations?status=failure&pageSize=2&pageToken=u',
    ]);
  });

  it('follows the links of lists that are arrays, and asks for pages', async () => {
    const link = '</v1/projects/demo/connections?pageSize=200&pageToken=a%2Bb>; rel="next"';
    answers = [{ body: [{ id: '1' }], headers: { link } }, { body: [{ id: '2' }] }];
    const found = await all(client().iterate.listConnections());
    expect(found.map(({ id }) => id)).toEqual(['1', '2']);
    expect(seen.map(({ url: address }) => address)).toEqual([
      '/v1/projects/demo/connections?pageSize=200',
      '/v1/projects/demo/connections?pageSize=200&pageToken=a%2Bb',
    ]);
  });

  it('asks for no page that nobody wants', async () => {
    answers = [{ body: { results: [{ id: '1' }], pagination: { done: false, nextPageToken: 't' } } }];
    for await (const { id } of client().iterate.listOperationsForProject()) {
      expect(id).toBe('1');
      break;
    }
    expect(seen).toHaveLength(1);
  });

  it('repeats a page that failed, and throws when it fails for good', async () => {
    answers = [problem({ retryAfter: soon() }), { body: { results: [{ id: '1' }], pagination: { done: true } } }];
    await expect(all(client().iterate.listOperationsForProject())).resolves.toEqual([{ id: '1' }]);
    answers = [{ status: 401, body: { code: 'auth.missing' } }];
    await expect(all(client().iterate.listOperationsForProject())).rejects.toBeInstanceOf(SluiceAuthenticationError);
  });
});

describe('repeats', () => {
  it('a read whose connection broke', async () => {
    answers = [{ breaks: true }, { body: [] }];
    await expect(client().management.listProjects()).resolves.toEqual([]);
    expect(seen).toHaveLength(2);
  });

  // Without a key it may have arrived.
  it('a write only with an idempotency key, which it sends again', async () => {
    const body = { groupRef: 'g', type: 'create', record: {} } as const;
    const names = { integrationId: 'i', objectName: 'contacts', body };
    answers = [{ breaks: true }];
    await expect(client().write.writeRecords(names)).rejects.toBeInstanceOf(SluiceConnectionError);
    expect(seen).toHaveLength(1);
    answers = [{ breaks: true }, problem({ retryAfter: soon() }), { body: { operationId: 'o' } }];
    await expect(client().write.writeRecords(names, { idempotencyKey: 'k1' })).resolves.toEqual({ operationId: 'o' });
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, 'k1', 'k1', 'k1']);
  });

  it('no request whose reply took too long', async () => {
    let calls = 0;
    const slow: typeof fetch = (_url, init) =>
      new Promise((_resolve, reject) => {
        calls += 1;
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
      });
    const hasty = createSluiceClient({ baseUrl: url(), timeoutMs: 20, fetch: slow });
    await expect(hasty.management.listProjects()).rejects.toBeInstanceOf(SluiceConnectionError);
    expect(calls).toBe(1);
  });

  it('what a proxy refused without a document, after the seconds it names', async () => {
    answers = [{ status: 503, headers: { 'retry-after': '0' } }, { body: [] }];
    await expect(client().management.listProjects()).resolves.toEqual([]);
    answers = [{ status: 502, headers: { 'retry-after': '60' } }];
    await expect(client().management.listProjects()).rejects.toMatchObject({ status: 502, retryable: true });
    answers = [{ status: 500 }];
    await expect(client().management.listProjects()).rejects.toMatchObject({ status: 500, retryable: false });
    expect(seen).toHaveLength(4);
  });

  it('at most twice', async () => {
    answers = [1, 2, 3, 4].map(() => problem({ retryAfter: soon() }));
    await expect(client().management.listProjects()).rejects.toMatchObject({ code: 'service.unavailable' });
    expect(seen).toHaveLength(3);
  });

  it.each([
    ['a problem that is not retryable', problem({ retryable: false })],
    ['one that wants a long wait', problem({ retryAfter: new Date(Date.now() + 60_000).toISOString() })],
  ])('not %s', async (_what, answer) => {
    answers = [answer];
    await expect(client().management.listProjects()).rejects.toMatchObject({ status: 503 });
    expect(seen).toHaveLength(1);
  });
});

it('gives every reply as it is when asked raw', async () => {
  answers = [problem({})];
  const reply = await client().raw.management.listProjects();
  expect(reply).toMatchObject({ status: 503, body: { code: 'service.unavailable' } });
  expect(seen).toHaveLength(1);
});

describe('waitForOperation', () => {
  it('asks until the operation has ended', async () => {
    answers = [{ body: { id: 'o', status: 'in_progress' } }, { body: { id: 'o', status: 'success' } }];
    await expect(client().waitForOperation('o', { timeoutMs: 5_000 })).resolves.toMatchObject({ status: 'success' });
    expect(seen[0]?.url).toBe('/v1/projects/demo/operations/o?waitSeconds=5');
  });

  it('gives up at its time, with the operation as it stood', async () => {
    answers = Array.from({ length: 9 }, () => ({ body: { id: 'o', status: 'in_progress' } }));
    const error = await client()
      .waitForOperation('o', { timeoutMs: 50 })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SluiceTimeoutError);
    expect((error as SluiceTimeoutError).operation.status).toBe('in_progress');
  });

  it('ends when it is aborted', async () => {
    answers = [{ body: { id: 'o', status: 'in_progress' } }];
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(new Error('left')), 30);
    await expect(client().waitForOperation('o', { signal: leaving.signal })).rejects.toThrow('left');
  });
});

it.each(['.', '..'])('sends no request whose address %j would lead elsewhere', async (operationId) => {
  await expect(client().management.getOperation({ operationId })).rejects.toThrow(`must not be "${operationId}"`);
  expect(seen).toEqual([]);
});

it('says that nobody answered, and which part of an address is missing', async () => {
  const nobody = createSluiceClient({ baseUrl: 'http://127.0.0.1:9/v1' });
  await expect(nobody.management.listProjects()).rejects.toBeInstanceOf(SluiceConnectionError);
  await expect(nobody.management.getOperation({ operationId: 'o' })).rejects.toThrow('projectIdOrName is missing');
  await expect(nobody.search.searchRecords({ integrationId: 'i', groupRef: 'g', body: {} as never })).rejects.toThrow(
    'The client has no searchUrl.',
  );
});
