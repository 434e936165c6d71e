import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { createMetrics } from '@sluice/telemetry';
import { serve, silent as quiet, testApp } from '../test/test-app';
import { ListenError, type HttpServer, type ServerOptions } from './start-server';
import type { Caller } from '@sluice/types';
import { authenticator } from './authenticator';
import { createApp } from './create-app';
import { route } from './route';
import type { Router } from './router';

/** Requests to /slow wait until `release`. */
function slowRoute() {
  let release: () => void = () => undefined;
  let arrived: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
  const handle = async () => {
    arrived();
    await released;
    return { body: { done: true } };
  };
  return { release, hasArrived, handle };
}

/** Long beyond what a cut takes. */
const lateMs = 15_000;
const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

type Options = Partial<ServerOptions> & { handle?: () => Promise<{ body: object }> };

async function start(o: Options = {}) {
  const app = testApp({
    routes: (router) => {
      router.post('/body', route({ body: {}, bodyBytesMax: 1_000, handle: ({ body }) => ({ body }) }));
      router.get('/slow', route({ handle: o.handle ?? (() => ({ body: {} })) }));
    },
  });
  const server = await serve(app, o);
  servers.push(server);
  return { server, url: `http://127.0.0.1:${server.port}` };
}

/** Sends bytes; `reply` is everything that came back until the server hung up. */
function raw(port: number, text: string): { socket: Socket; reply: Promise<string> } {
  const socket = connect(port, '127.0.0.1', () => socket.write(text));
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString())).on('error', () => undefined);
  return { socket, reply: new Promise((resolve) => socket.once('close', () => resolve(received))) };
}

describe('startServer', () => {
  const operability = { ...quiet, metrics: createMetrics('other'), host: '127.0.0.1' };

  it('names the taken port and the settings that move it', async () => {
    const { server } = await start();
    const again = serve(createApp(operability), { ...operability, port: server.port });
    await expect(again).rejects.toBeInstanceOf(ListenError);
    await expect(again).rejects.toThrow(new RegExp(`${server.port}.*SLUICE_PORT.*SLUICE_PORT_BASE`));
  });

  it('serves the probes of a service without a public API, and nothing else', async () => {
    const server = await serve(createApp(operability), { ...operability, port: 0 });
    servers.push(server);
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).status;
    expect(await Promise.all(['/healthz', '/readyz', '/metrics', '/v1/x'].map(statusOf))).toEqual([200, 200, 404, 404]);
  });
});

it('two Host headers are refused: a proxy may have taken the other one', async () => {
  const { server } = await start();
  const head = 'GET /healthz HTTP/1.1\r\nHost: a\r\nHOST: b\r\nConnection: close\r\n\r\n';
  expect(await raw(server.port, head).reply).toMatch(/^HTTP\/1.1 400[^]*more than one Host header/);
});

it.each(['Authorization', 'Content-Type', 'authorization'])(
  'two %s headers are refused, also where they are equal',
  async (name) => {
    const { server } = await start();
    const head = `GET /healthz HTTP/1.1\r\nHost: a\r\n${name}: b\r\n${name.toUpperCase()}: b\r\nConnection: close\r\n\r\n`;
    expect(await raw(server.port, head).reply).toMatch(
      /^HTTP\/1.1 400[^]*more than one (Authorization|Content-Type) header/,
    );
  },
);

describe('close', () => {
  it('is not ready at once, lets a running request finish, ends its connection, and refuses new ones', async () => {
    const slow = slowRoute();
    const { server, url } = await start({ handle: slow.handle });
    // A connection that is open before the drain can still ask, and must hear "not ready".
    const probe = connect(server.port, '127.0.0.1');
    await once(probe, 'connect');
    const running = fetch(`${url}/slow`);
    await slow.hasArrived;
    const closed = server.close();
    probe.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = (await once(probe, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 503[^]*Connection: close[^]*shutting down/);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
    slow.release();
    const reply = await running;
    expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close']);
    await closed;
  });

  // A balancer that asks for readiness once a second would send to a closed port for as long.
  it('goes on answering new connections for drainDelayMs, while it says that it is not ready', async () => {
    const { server, url } = await start({ drainDelayMs: 1_000 });
    const closed = server.close();
    const answers = await Promise.all(['/readyz', '/slow'].map((path) => fetch(`${url}${path}`)));
    expect(answers.map(({ status }) => status)).toEqual([503, 200]);
    expect(answers.map(({ headers }) => headers.get('connection'))).toEqual(['close', 'close']);
    await closed;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  });

  // Else a client that sends on a connection it has kept would not know whether its write was accepted.
  it('answers a request on a connection that was idle, as its last', async () => {
    const { server } = await start();
    const kept = connect(server.port, '127.0.0.1', () => kept.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'));
    await once(kept, 'data');
    const closed = server.close();
    // On its way when the other end begins to close.
    await new Promise((resolve) => setTimeout(resolve, 50));
    kept.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = (await once(kept, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200[^]*Connection: close/);
    await closed;
  });

  // Seen as lost replies on a slow machine: the client sent on a connection that it had kept, a moment after we had hung up.
  it('leaves an idle connection open for the grace, and a request begins it anew', async () => {
    const { server } = await start({ idleGraceMs: 30_000, shutdownMs: 60_000 });
    const kept = [0, 1].map(() => connect(server.port, '127.0.0.1'));
    await Promise.all(kept.map((socket) => once(socket, 'connect')));
    const closed = server.close();
    for (const socket of kept) {
      // Far past what a process needs to close.
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect(socket.readable).toBe(true);
      socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
      const [answer] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean];
      expect(String(answer)).toMatch(/^HTTP\/1.1 200[^]*Connection: close/);
    }
    // Nobody waits for the rest of the grace when no connection is left.
    await closed;
  });

  it('waits for idle connections no longer than shutdownMs', async () => {
    const { server } = await start({ idleGraceMs: 600_000, shutdownMs: 50 });
    const idle = connect(server.port, '127.0.0.1');
    await once(idle, 'connect');
    const hungUp = once(idle, 'close');
    await server.close();
    await hungUp;
    expect(idle.destroyed).toBe(true);
  });

  // Seen as lost replies where pods left a busy node: a socket that closes on bytes nobody read resets its connection.
  it('answers a request that arrived while the process was busy, before it ends the connections', async () => {
    const { server } = await start();
    const kept = connect(server.port, '127.0.0.1', () => kept.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'));
    await once(kept, 'data');
    const beBusy = (): void => {
      kept.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
      // From well before the grace ends to well past it, also where the timer below or the closing is late.
      const untilMs = performance.now() + 350;
      while (performance.now() < untilMs);
    };
    // After an immediate come the timers, without polling the sockets in between.
    const busy = setTimeout(() => setImmediate(beBusy), 50);
    const closed = server.close();
    const [answer] = (await Promise.race([once(kept, 'data'), once(kept, 'close')])) as [Buffer | boolean];
    expect(String(answer)).toMatch(/^HTTP\/1.1 200[^]*Connection: close/);
    await closed;
    clearTimeout(busy);
  });

  // The kernel connects them before we accept, which we do one by one.
  it('answers who had connected before', async () => {
    const { server, url } = await start();
    const asked = Array.from({ length: 200 }, () => fetch(`${url}/slow`).then(({ status }) => status));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await server.close();
    const replies = await Promise.allSettled(asked);
    const lost = replies.flatMap((each) =>
      each.status === 'rejected' ? ((each.reason as { cause?: { code?: string } }).cause?.code ?? 'lost') : [],
    );
    expect(lost.filter((code) => code !== 'ECONNREFUSED')).toEqual([]);
  });

  it('cuts what is still running after shutdownMs', async () => {
    const slow = slowRoute();
    const { server, url } = await start({ handle: slow.handle, shutdownMs: 50 });
    const running = fetch(`${url}/slow`).then(
      () => 'answered',
      () => 'cut',
    );
    await slow.hasArrived;
    await server.close();
    expect(await running).toBe('cut');
    slow.release();
  });

  it('does not wait for connections that ask nothing, idle or silent', async () => {
    const { server, url } = await start();
    await (await fetch(`${url}/healthz`)).text();
    const silent = connect(server.port, '127.0.0.1');
    await once(silent, 'connect');
    // A wait for either would last until this process ends.
    await expect(Promise.all([server.close(), server.close()])).resolves.toBeDefined();
    silent.destroy();
  });
});

// Else requests on kept connections would be taken until the deadline, which cuts the last of them.
describe('the last call, at half of shutdownMs', () => {
  const shutdownMs = 10_000;
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  // The drain's timers run only when a test advances them; all others run normally.
  beforeEach(() => {
    const others = [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'setInterval',
    ] as const;
    jest.useFakeTimers({ doNotFake: [...others] });
  });
  afterEach(() => {
    jest.runOnlyPendingTimers();
    jest.useRealTimers();
  });

  const startKept = (handle: Options['handle']) =>
    start({ idleGraceMs: 600_000, shutdownMs, ...(handle && { handle }) });

  /** Begins to close; when it returns nobody new is accepted and the time of the drain runs. */
  async function beginClose(server: HttpServer): Promise<{ closed: Promise<void> }> {
    const closed = server.close();
    const isAccepted = (): Promise<boolean> => {
      const late = connect(server.port, '127.0.0.1');
      const answers = [once(late, 'connect').then(() => true), once(late, 'close').then(() => false)];
      return Promise.race(answers)
        .catch(() => false)
        .finally(() => late.destroy());
    };
    while (await isAccepted());
    return { closed };
  }

  it('ends connections that carry nothing, used before or never, and leaves the rest of the time to what runs', async () => {
    const slow = slowRoute();
    const { server } = await startKept(slow.handle);
    const [used, silent] = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')];
    used.write(request('/healthz'));
    await Promise.all([once(used, 'data'), once(silent, 'connect')]);
    const running = raw(server.port, request('/slow'));
    await slow.hasArrived;
    const { closed } = await beginClose(server);
    const hungUp = Promise.all([once(used, 'close'), once(silent, 'close')]);
    jest.advanceTimersByTime(shutdownMs / 2);
    await hungUp;
    jest.advanceTimersByTime(shutdownMs / 2 - 1);
    slow.release();
    expect(await running.reply).toMatch(/^HTTP\/1.1 200[^]*"done":true/);
    await closed;
  });

  it('takes no request behind one that runs: the connection ends with its reply', async () => {
    const slow = slowRoute();
    let taken = 0;
    const { server } = await startKept(() => ((taken += 1), slow.handle()));
    const silent = connect(server.port, '127.0.0.1');
    await once(silent, 'connect');
    const running = raw(server.port, request('/slow'));
    await slow.hasArrived;
    const { closed } = await beginClose(server);
    jest.advanceTimersByTime(shutdownMs / 2);
    await once(silent, 'close');
    await new Promise<void>((resolve) => running.socket.write(request('/slow'), () => resolve()));
    // Two turns of the event loop read what is there.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    slow.release();
    expect((await running.reply).match(/^HTTP\/1.1 200/gm)).toHaveLength(1);
    await closed;
    expect(taken).toBe(1);
  });

  it('ends a connection also with a reply that had begun before the drain, and so does not say that it is the last', async () => {
    const body = { text: 'x'.repeat(32_000_000) };
    const { server } = await startKept(() => Promise.resolve({ body }));
    const [reader, silent] = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')];
    reader.write(request('/slow'));
    // It does not read on, so most of the reply stays with the server.
    await Promise.all([once(reader, 'readable'), once(silent, 'connect')]);
    const { closed } = await beginClose(server);
    jest.advanceTimersByTime(shutdownMs / 2);
    await once(silent, 'close');
    let received = 0;
    reader.on('data', (chunk: Buffer) => (received += chunk.length));
    await once(reader, 'close');
    expect(received).toBeGreaterThan(body.text.length);
    await closed;
  });
});

describe('[sec-37] bytes that are no request', () => {
  const head = 'POST /body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

  // Security checklist 37: a request that two readers can understand differently is refused, and the line is cut.
  it.each([
    ['two kinds of length', `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${head}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde`],
    ['a folded header', `${head}X-Folded: a\r\n b\r\nContent-Length : 2\r\n\r\n{}`],
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['headers of 20 KB', `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('%s: 400 and the end of the connection', async (_case, bytes) => {
    const { server } = await start();
    const reply = await raw(server.port, bytes).reply;
    expect(reply).toMatch(/^HTTP\/1.1 400 /);
    expect(reply.match(/^HTTP\/1.1/gm)).toHaveLength(1);
  });

  it.each([
    ['bytes', 'hello\r\n\r\n'],
    ['a head that does not end', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: '],
  ])('%s: who does not hang up in turn is cut', async (_case, bytes) => {
    const timeouts = { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 };
    const { server } = await start({ timeouts });
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(bytes));
    await once(
      socket.resume().on('error', () => undefined),
      'end',
    );
    // What arrives where nobody listens any more is answered with a reset.
    const lateAtMs = performance.now() + lateMs;
    while (!socket.destroyed && performance.now() < lateAtMs) {
      socket.write('x');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(socket.destroyed).toBe(true);
  });

  it('answers them with a problem document', async () => {
    const { server } = await start();
    const reply = await raw(server.port, 'hello\r\n\r\n').reply;
    expect(reply).toContain('application/problem+json');
    expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toMatchObject({ code: 'request.invalid', status: 400 });
  });
});

describe('an address without a path', () => {
  it.each(['GET http://?x', 'GET http://[', 'POST ?x', 'OPTIONS http://?x', 'GET x://?/healthz', 'GET //'])(
    '%s: a problem document, never a page of Express',
    async (line) => {
      const { server } = await start();
      const reply = await raw(server.port, `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`).reply;
      const [head = '', body = ''] = reply.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1.1 40[04] /);
      expect(head).toContain('application/problem+json');
      expect(JSON.parse(body)).toMatchObject({
        code: expect.stringMatching(/^request\./),
        requestId: expect.any(String),
      });
    },
  );

  it('is a request of ours in every other way: 400, with its id and the headers of every reply', async () => {
    const { server } = await start();
    const ask = 'GET http://?x HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\nConnection: close\r\n\r\n';
    const reply = await raw(server.port, ask).reply;
    expect(reply).toMatch(/^HTTP\/1.1 400 /);
    expect(reply).toContain('X-Request-Id: mine');
    expect(reply.toLowerCase()).toContain('x-content-type-options: nosniff');
    expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toMatchObject({
      code: 'request.invalid',
      status: 400,
      detail: 'The address of the request is not valid: it has no path.',
    });
  });
});

describe('[sec-28] a head that does not end', () => {
  it('500 slow clients are sent away with 408; others do not notice', async () => {
    const timeouts = { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 };
    const { server, url } = await start({ timeouts });
    const slow = Array.from({ length: 500 }, () => raw(server.port, 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: '));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const replies = await Promise.all(slow.map(({ reply }) => reply));
    expect(replies.filter((reply) => !/^HTTP\/1.1 408 [^]*"request.timeout"/.test(reply))).toEqual([]);
  });
});

describe('[sec-28] connections without a caller', () => {
  /** The cut of so many connections; longer than any of it takes, so that a test whose cut does not come fails by what it asserts. */
  function cutOf(connections: readonly { readonly reply: Promise<string> }[], most: number): Promise<number> {
    return new Promise((resolve) => {
      let cut = 0;
      const late = setTimeout(() => resolve(cut), lateMs);
      const count = (): void => {
        cut += 1;
        if (cut < most) return;
        clearTimeout(late);
        resolve(cut);
      };
      for (const { reply } of connections) void reply.then(count);
    });
  }
  const ask = (path: string, ...headers: string[]): string =>
    [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
  const forwarded = (...hops: string[]): string => `X-Forwarded-For: ${hops.join(', ')}`;

  it('whose reply makes no progress are cut', async () => {
    const api = { title: 'T', version: '1', description: 'x'.repeat(12_000_000), tags: [] };
    const app = testApp({ api });
    let closed: (how: string) => void = () => undefined;
    const isClosed = new Promise<string>((resolve) => (closed = resolve));
    const watched: typeof app = Object.assign((...[req, res, next]: Parameters<typeof app>) => {
      res.on('close', () => closed('cut'));
      app(req, res, next);
    }, app);
    servers.push(
      await serve(watched, { shutdownMs: 100, timeouts: { unreadTimeout: 100, connectionsCheckingInterval: 20 } }),
    );
    const socket = connect(servers.at(-1)?.port ?? 0, '127.0.0.1').on('error', () => undefined);
    socket.write(ask('/openapi.json'));
    const late = setTimeout(() => closed('held'), lateMs);
    expect(await isClosed).toBe('cut');
    clearTimeout(late);
    socket.destroy();
  });

  it('are at most so many: the oldest is cut, and a probe is answered', async () => {
    const { server, url } = await start({ anonymousMax: 5 });
    const idle = Array.from({ length: 30 }, () => raw(server.port, ask('/nothing')));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await cutOf(idle, 25)).toBe(25);
  });

  it('send at most so many requests before one reply is read', async () => {
    const { server } = await start({ handle: () => new Promise(() => undefined), shutdownMs: 100 });
    expect(await cutOf([raw(server.port, ask('/slow').repeat(40))], 1)).toBe(1);
  });

  it('of one address behind a trusted proxy are at most an eighth, whatever the client writes before it', async () => {
    const slow = slowRoute();
    const proxied = { anonymousMax: 40, trustedProxies: ['127.0.0.1/32'] };
    const { server, url } = await start({ ...proxied, handle: slow.handle, shutdownMs: 100 });
    const other = raw(server.port, ask('/slow', forwarded('198.51.100.9')));
    await slow.hasArrived;
    const held = Array.from({ length: 12 }, (_, at) =>
      raw(server.port, ask('/slow', forwarded(`198.51.100.${at}`, '203.0.113.7'))),
    );
    expect(await cutOf(held, 7)).toBe(7);
    const headers = { 'X-Forwarded-For': '203.0.113.7' };
    expect((await fetch(`${url}/healthz`, { headers })).status).toBe(200);
    expect(other.socket.destroyed).toBe(false);
    slow.release();
  });

  it('of a trusted proxy belong to nobody while they carry nothing', async () => {
    const { server } = await start({ anonymousMax: 40, trustedProxies: ['127.0.0.1/32'] });
    const pool = Array.from({ length: 12 }, () => connect(server.port, '127.0.0.1'));
    for (const at of [1, 2]) {
      for (const socket of pool) {
        socket.write(ask('/nothing', forwarded(`203.0.113.${at}`)));
        await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      }
    }
    expect(pool.filter(({ destroyed, readyState }) => destroyed || readyState !== 'open')).toEqual([]);
  });

  it('of one address that is no proxy are at most an eighth, whomever they claim to speak for', async () => {
    const { server } = await start({ anonymousMax: 40, trustedProxies: ['10.0.0.0/8'] });
    const idle = Array.from({ length: 12 }, (_, at) =>
      raw(server.port, ask('/nothing', forwarded(`198.51.100.${at}`))),
    );
    expect(await cutOf(idle, 7)).toBe(7);
  });

  it('of one address have no bound where no proxy is named', async () => {
    const { server } = await start({ anonymousMax: 40 });
    const sockets = Array.from({ length: 12 }, () => connect(server.port, '127.0.0.1'));
    for (let sent = 0; sent < 2; sent += 1) {
      const answered = sockets.map((socket) => Promise.race([once(socket, 'data'), once(socket, 'close')]));
      for (const socket of sockets) socket.write(ask('/nothing'));
      await Promise.all(answered);
    }
    expect(sockets.filter(({ destroyed, readyState }) => destroyed || readyState !== 'open')).toEqual([]);
  });

  /** A server that knows one key; `/waits` never answers. */
  async function startKnowing(o: Partial<ServerOptions>): Promise<HttpServer> {
    const caller: Caller = { kind: 'admin', keyId: 'k', scopes: [] };
    const authenticate = authenticator((key) => (key === 'known' ? caller : undefined));
    const routes = (router: Router): void => {
      router.get('/known', route({ handle: () => ({ body: {} }) }));
      router.get('/waits', route({ handle: () => new Promise(() => undefined) }));
    };
    const server = await serve(testApp({ authenticate, routes }), { shutdownMs: 100, ...o });
    servers.push(server);
    return server;
  }

  // Else one connection could have any number of requests worked on at once.
  it('as those with them have at most so many requests at once, also later', async () => {
    const server = await startKnowing({});
    const known = raw(server.port, ask('/known', 'X-Api-Key: known'));
    await once(known.socket, 'data');
    known.socket.write(ask('/waits', 'X-Api-Key: known').repeat(40));
    expect(await cutOf([known], 1)).toBe(1);
  });

  // Else one key would be enough to hold any number of them.
  it('are also those that carried credentials before', async () => {
    const server = await startKnowing({ anonymousMax: 5 });
    const known = Array.from({ length: 30 }, () => raw(server.port, ask('/known', 'X-Api-Key: known')));
    await Promise.all(known.map(({ socket }) => once(socket, 'data')));
    expect(known.filter(({ socket }) => socket.destroyed)).toEqual([]);
    for (const { socket } of known) socket.write(ask('/nothing'));
    expect(await cutOf(known, 25)).toBe(25);
  });

  it('are also those that carry credentials before another request, at once', async () => {
    const server = await startKnowing({ anonymousMax: 5 });
    const both = [];
    for (let at = 0; at < 30; at += 1) {
      const sent = raw(server.port, ask('/known', 'X-Api-Key: known') + ask('/nothing'));
      let received = '';
      sent.socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
      while (!received.includes('HTTP/1.1 404')) await once(sent.socket, 'data');
      both.push(sent);
    }
    expect(await cutOf(both, 25)).toBe(25);
  });
});

describe('[sec-28] a body that does not end', () => {
  const chunked =
    'POST /body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

  it('chunks over the limit: 413 while they still come, and the connection is cut if they go on', async () => {
    const { server, url } = await start();
    const chunk = `400\r\n${'x'.repeat(1_024)}\r\n`;
    const { socket, reply } = raw(server.port, chunked + chunk);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toMatch(/^HTTP\/1.1 413/);
    const pump = () => {
      while (!socket.destroyed && socket.write(chunk.repeat(64)));
    };
    socket.on('drain', pump);
    pump();
    // Others are served meanwhile.
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await reply;
  });

  it('a client that leaves in the middle harms nobody', async () => {
    const { server, url } = await start();
    const { socket, reply } = raw(server.port, `${chunked}5\r\n[1,2,\r\n`);
    await once(socket, 'connect');
    socket.destroy();
    await reply;
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});
