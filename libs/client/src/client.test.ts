import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSluiceClient, SluiceApiError, SluiceConnectionError, SluiceTimeoutError } from './index';

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
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
      const { status = 200, body } = answers.shift() ?? {};
      res.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' });
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

it('throws what the refusal of a record says', async () => {
  answers = [{ status: 422, body: { operationId: 'o', errors: [{ message: 'exists already' }] } }];
  const body = { groupRef: 'g', type: 'create', record: {} } as const;
  const sent = client().write.writeRecords({ integrationId: 'i', objectName: 'contacts', body });
  await expect(sent).rejects.toMatchObject({
    status: 422,
    detail: 'exists already',
    operationId: 'o',
    code: undefined,
  });
});

describe('repeats', () => {
  it('a read whose problem is retryable, after the time it names', async () => {
    answers = [problem({ retryAfter: soon() }), problem({ retryAfter: soon() }), { body: [] }];
    await expect(client().management.listProjects()).resolves.toEqual([]);
    expect(seen).toHaveLength(3);
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

  it('a write only with an idempotency key', async () => {
    const body = { groupRef: 'g', type: 'create', record: {} } as const;
    const names = { integrationId: 'i', objectName: 'contacts', body };
    answers = [problem({ retryAfter: soon() })];
    await expect(client().write.writeRecords(names)).rejects.toMatchObject({ status: 503 });
    expect(seen).toHaveLength(1);
    answers = [problem({ retryAfter: soon() }), { body: { operationId: 'o' } }];
    await expect(client().write.writeRecords(names, { idempotencyKey: 'k1' })).resolves.toEqual({ operationId: 'o' });
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, 'k1', 'k1']);
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

  it('ends when it is told to', async () => {
    answers = [{ body: { id: 'o', status: 'in_progress' } }];
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(new Error('left')), 30);
    await expect(client().waitForOperation('o', { signal: leaving.signal })).rejects.toThrow('left');
  });
});

it('says that nobody answered, and which part of an address is missing', async () => {
  const nobody = createSluiceClient({ baseUrl: 'http://127.0.0.1:9/v1' });
  await expect(nobody.management.listProjects()).rejects.toBeInstanceOf(SluiceConnectionError);
  await expect(nobody.management.getOperation({ operationId: 'o' })).rejects.toThrow('projectIdOrName is missing');
  await expect(nobody.search.searchRecords({ integrationId: 'i', groupRef: 'g', body: {} as never })).rejects.toThrow(
    'The client has no searchUrl.',
  );
});
