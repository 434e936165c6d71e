import { createServer, type AddressInfo, type LookupFunction, type Server, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import {
  impatientMs,
  patientMs,
  silence,
  startProviderStub,
  type ProviderStub,
  type StubReply,
} from '../test/provider-stub';
import { addressPolicy } from './egress/address-policy';
import { createHttpClient, type HttpClient, type HttpOutcome, type HttpReply, type HttpRequest } from './http-client';

const post: HttpRequest = { method: 'POST', path: '/crm/v3/objects/contacts', headers: {}, body: { a: 1 } };
const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let stub: ProviderStub;
let client: HttpClient;

beforeAll(async () => {
  stub = await startProviderStub();
  const egress = { policy: addressPolicy(['127.0.0.0/8']) };
  client = createHttpClient({ baseUrl: `${stub.url}/prefix/`, callTimeoutMs: patientMs, egress });
});

afterAll(async () => {
  await client.close();
  await stub.close();
});

async function sendTo(reply: StubReply, request: Partial<HttpRequest> = {}): Promise<HttpOutcome> {
  stub.replyWith(reply);
  return client.send({ ...post, ...request });
}

/** Accepts one connection, does what it is told with the first bytes, and is gone afterwards. */
async function withRawServer<T>(onData: (socket: Socket) => void, use: (url: string) => Promise<T>) {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => onData(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

/** Nobody listens there: what asked before us has heard the same. */
async function refusedOnce(url: string): Promise<void> {
  expect(await sendOnce(url)).toMatchObject({ kind: 'not-sent', reason: 'ECONNREFUSED' });
}

async function sendOnce(baseUrl: string, callTimeoutMs = patientMs): Promise<HttpOutcome> {
  const once = createHttpClient({ baseUrl, callTimeoutMs });
  try {
    return await once.send(post);
  } finally {
    await once.close();
  }
}

describe('a request', () => {
  test('carries JSON and the base path, asks for no compression, and keeps the trace to itself', async () => {
    await sendTo({ status: 200, body: {} }, { headers: { authorization: 'Bearer t' }, traceparent: parent });
    const [received] = stub.requests;
    expect(received).toMatchObject({ method: 'POST', path: '/prefix/crm/v3/objects/contacts', body: { a: 1 } });
    expect(received?.headers).toMatchObject({ 'content-type': 'application/json', authorization: 'Bearer t' });
    expect(received?.headers).not.toHaveProperty('traceparent');
    expect(received?.headers['accept-encoding']).toBe('identity');
  });

  test('carries a form, encoded, where a token endpoint wants one', async () => {
    await sendTo(
      { status: 200, body: {} },
      { body: undefined, form: { grant_type: 'refresh_token', secret: 'a&b=c d+é' } },
    );
    const [received] = stub.requests;
    expect(received?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(received?.body).toBe('grant_type=refresh_token&secret=a%26b%3Dc+d%2B%C3%A9');
  });

  test("adds the caller's headers to ours, and never replaces ours", async () => {
    const forwarded = [
      { key: 'Sforce-Auto-Assign', value: 'FALSE' },
      { key: 'Authorization', value: 'Bearer of-the-caller' },
      { key: 'Content-Type', value: 'text/plain' },
    ];
    await sendTo({ status: 200, body: {} }, { headers: { authorization: 'Bearer t' }, forwarded });
    expect(stub.requests[0]?.headers).toMatchObject({
      'sforce-auto-assign': 'FALSE',
      authorization: 'Bearer t',
      'content-type': 'application/json',
    });
  });

  test('goes to the origin it names, with its prefix, and there only', async () => {
    const other = await startProviderStub();
    other.replyWith({ status: 200, body: [] });
    const before = stub.requests.length;
    await client.send({ ...post, origin: `${other.url}/of-acme/` });
    expect(other.requests).toMatchObject([{ path: '/of-acme/crm/v3/objects/contacts' }]);
    expect(stub.requests).toHaveLength(before);
    await other.close();
  });

  test.each([
    'acme',
    '',
    'file:///etc/passwd',
    'gopher://127.0.0.1:70',
    'unix:///var/run/docker.sock:/v1/info',
    '/var/run/docker.sock',
  ])('[sec-19] is not sent to %p', async (origin) => {
    expect(await sendTo({ status: 200 }, { origin })).toMatchObject({
      kind: 'not-sent',
      reason: 'the origin is no http or https URL',
    });
    expect(stub.requests).toHaveLength(0);
  });

  test.each([
    ['a line break in a value', { 'x-a': 'b\r\nhost: evil.example' }],
    ['a bare line feed', { 'x-a': 'b\nc' }],
    ['a NUL', { 'x-a': 'b\u0000c' }],
    ['a line break in a name', { 'x-a\r\nx-b': 'c' }],
  ])('[sec-20] with %s is not sent', async (_, headers) => {
    expect(await sendTo({ status: 200 }, { headers })).toMatchObject({ kind: 'not-sent' });
    expect(stub.requests).toHaveLength(0);
  });

  test('without a body has no content type', async () => {
    await sendTo({ status: 200, body: {} }, { method: 'GET', body: undefined });
    expect(stub.requests[0]?.headers['content-type']).toBeUndefined();
  });
});

describe('a reply', () => {
  const one = '{"id":"1"}';
  const as = (encoding: string, body: string | Buffer): StubReply => {
    return { status: 200, headers: { 'content-encoding': encoding }, body };
  };
  const brackets = { a: `\\"${'['.repeat(200)}` };
  test.each<[string, StubReply, object]>([
    ['JSON', { status: 201, body: { id: '1' } }, { status: 201, json: { id: '1' } }],
    [
      'JSON of the wrong type',
      { status: 200, headers: { 'content-type': 'text/plain' }, body: one },
      { json: { id: '1' } },
    ],
    ['an empty body', { status: 400 }, { status: 400 }],
    ['no content', { status: 204 }, { status: 204 }],
    ['a list', { status: 201, body: [{ id: '1' }] }, { status: 201, json: [{ id: '1' }] }],
    ['HTML', { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>502</html>' }, { status: 502 }],
    ['cut JSON of the right length', { status: 200, body: '{"id":' }, { status: 200 }],
    ['gzip', as('gzip', gzipSync(one)), { json: { id: '1' } }],
    ['deflate', as('deflate', deflateSync(one)), { json: { id: '1' } }],
    [
      'brotli, for which we did not ask',
      as('br', brotliCompressSync(one)),
      { fault: 'undecodable', reason: 'it is encoded as br, and we asked for no encoding' },
    ],
    ['two encodings', as('gzip, gzip', gzipSync(gzipSync(one))), { fault: 'undecodable' }],
    ['an encoding of nothing', { status: 204, headers: { 'content-encoding': 'br' } }, { status: 204 }],
    ['broken gzip', as('gzip', 'not gzip'), { fault: 'undecodable' }],
    ['an unknown encoding', as('zstd9', 'x'), { fault: 'undecodable' }],
    ['brackets inside a string', { status: 200, body: JSON.stringify(brackets) }, { json: brackets }],
  ])('%s', async (_, reply, expected) => {
    const outcome = await sendTo(reply);
    const replied: Partial<HttpReply> = outcome.kind === 'reply' ? outcome.reply : {};
    expect({ json: undefined, fault: undefined, ...replied }).toMatchObject({
      json: undefined,
      fault: undefined,
      ...expected,
    });
  });

  test.each([301, 302, 303, 307, 308])(
    '[sec-18] [sec-44] a redirect (%i) is not followed: a token goes to the address of its provider only',
    async (status) => {
      for (const location of [`${stub.url}/elsewhere`, 'http://169.254.169.254/latest/meta-data/', '//evil.example/']) {
        const outcome = await sendTo({ status, headers: { location } }, { headers: { authorization: 'Bearer t' } });
        expect(outcome).toMatchObject({ kind: 'reply', reply: { status } });
        expect(stub.requests).toHaveLength(1);
      }
    },
  );
});

describe('nothing was sent', () => {
  test('cancelled before it began', async () => {
    expect(await sendTo({ status: 200 }, { signal: AbortSignal.abort() })).toMatchObject({ kind: 'not-sent' });
    expect(stub.requests).toHaveLength(0);
  });

  test('cancelled while connecting: the request never follows', async () => {
    const cancel = new AbortController();
    const sent = sendTo({ status: 200 }, { signal: cancel.signal });
    cancel.abort();
    expect(await sent).toMatchObject({ kind: 'not-sent' });
    await client.send({ ...post, method: 'GET', body: undefined });
    expect(stub.requests.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('a connection that cannot be made at this moment', () => {
  /** A provider that listens only after it has been asked for a while, on the port where it was before. */
  async function withReturning<T>(use: (url: string, listenAgain: () => Promise<ProviderStub>) => Promise<T>) {
    const gone = await startProviderStub();
    const port = Number(new URL(gone.url).port);
    await gone.close();
    return await use(gone.url, () => startProviderStub(port));
  }
  const patient = (baseUrl: string) => createHttpClient({ baseUrl, callTimeoutMs: patientMs, reconnects: true });

  // A provider's process that is replaced refuses for a moment, and a caller waits for the answer.
  test.each(['POST', 'GET'] as const)('is made again: the %s arrives once', async (method) => {
    const outcome = await withReturning(async (url, listenAgain) => {
      const returning = patient(url);
      const sent = returning.send({ ...post, method });
      await refusedOnce(url);
      const back = await listenAgain();
      back.replyWith({ status: 201, body: { id: '1' } });
      const reply = await sent;
      await returning.close();
      const { requests } = back;
      await back.close();
      return { reply, received: requests.map((request) => request.method) };
    });
    expect(outcome).toMatchObject({ reply: { kind: 'reply', reply: { status: 201 } }, received: [method] });
  });

  test('is given up after some seconds, within the time of the call', async () => {
    const gone = await startProviderStub();
    await gone.close();
    const returning = patient(gone.url);
    const outcome = await returning.send(post);
    await returning.close();
    expect(outcome).toMatchObject({ kind: 'not-sent', reason: 'ECONNREFUSED' });
    // All pauses together.
    expect(outcome.durationMs).toBeGreaterThan(3_000);
    const hurried = createHttpClient({ baseUrl: gone.url, callTimeoutMs: impatientMs, reconnects: true });
    const hurriedly = await hurried.send(post);
    await hurried.close();
    expect(hurriedly).toMatchObject({ kind: 'not-sent', reason: 'ECONNREFUSED' });
    expect(hurriedly.durationMs).toBeLessThan(impatientMs);
  });

  test('is not waited for when the call is cancelled', async () => {
    const gone = await startProviderStub();
    await gone.close();
    const returning = patient(gone.url);
    const cancel = new AbortController();
    const sent = returning.send({ ...post, signal: cancel.signal });
    await refusedOnce(gone.url);
    cancel.abort();
    expect(await sent).toMatchObject({ kind: 'not-sent', reason: 'the call was cancelled' });
    await returning.close();
  });

  /** How often a name is asked for when the answer is one of these, the last one for good. */
  async function lookupsOf(...codes: readonly string[]): Promise<number> {
    let asked = 0;
    const lookup: LookupFunction = (_name, _options, callback) => {
      const code = codes[Math.min(asked, codes.length - 1)];
      asked += 1;
      callback(Object.assign(new Error('no answer'), { code }), []);
    };
    const options = { baseUrl: stub.url, callTimeoutMs: patientMs, reconnects: true };
    const returning = createHttpClient({ ...options, egress: { policy: addressPolicy([]), lookup } });
    const outcome = await returning.send({ ...post, origin: 'https://api.example.com' });
    expect(outcome).toMatchObject({ kind: 'not-sent', reason: codes.at(-1) });
    await returning.close();
    return asked;
  }

  test('is also one whose name is not answered for; a name that nobody knows is asked for once', async () => {
    expect(await lookupsOf('EAI_AGAIN', 'ENOTFOUND')).toBe(2);
    expect(await lookupsOf('ENOTFOUND')).toBe(1);
  });

  test('is none whose TLS fails: one try', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const returning = patient(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await returning.send(post)).toMatchObject({ kind: 'not-sent' });
    await returning.close();
    server.close();
    expect(connections).toBe(1);
  });

  test('a silent provider is reported with the configured time of the call', async () => {
    stub.replyWith(silence);
    const returning = createHttpClient({ baseUrl: stub.url, callTimeoutMs: impatientMs, reconnects: true });
    const reason = `no reply within ${impatientMs} ms`;
    expect(await returning.send(post)).toMatchObject({ kind: 'no-reply', fault: 'timeout', reason });
    await returning.close();
  });

  test('what was sent is never sent again', async () => {
    const returning = patient(stub.url);
    stub.replyWith((response) => response.destroy());
    expect(await returning.send(post)).toMatchObject({ kind: 'no-reply', fault: 'broken' });
    expect(stub.requests).toHaveLength(1);
    await returning.close();
  });
});

describe('sent, and no whole reply', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['reset before the reply', (socket) => socket.resetAndDestroy()],
    ['closed before the reply', (socket) => socket.end()],
    ['not HTTP', (socket) => socket.end('garbage\r\n\r\n')],
  ])('%s', async (_, end) => {
    expect(await withRawServer(end, (url) => sendOnce(url))).toMatchObject({ kind: 'no-reply', fault: 'broken' });
  });

  test.each([
    ['with a length', 'Content-Length: 100\r\n\r\n{"id":"1",'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\na\r\n{"id":"1",\r\n'],
  ])('reset inside the body %s keeps the status', async (_, rest) => {
    const cut = (socket: Socket) => socket.write(`HTTP/1.1 201 Created\r\n${rest}`, () => socket.destroy());
    const outcome = await withRawServer(cut, (url) => sendOnce(url));
    expect(outcome).toMatchObject({ kind: 'reply', reply: { status: 201, fault: 'broken' } });
  });

  test('cancelled after it was sent', async () => {
    const cancel = new AbortController();
    const outcome = await sendTo(() => cancel.abort(), { signal: cancel.signal });
    expect(outcome).toMatchObject({ kind: 'no-reply', fault: 'aborted' });
  });
});
