import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ByteBudget, HeldBytes } from '@sluice/telemetry';
import { serve, testApp } from '../test/test-app';
import { localsOf, stateOf, type ByteBudgets } from './request-state';
import { route, type RouteRequest } from './route';
import type { HttpServer } from './start-server';

/** Bodies of more than 64 kB, of which the room takes two. */
const bodyOf = (name: string) => JSON.stringify({ name, text: 'x'.repeat(70_000) });
const ms = 20_000;

const plans = { asked: 'The plans', beside: 'plans', consequence: 'Nothing was written.', advice: 'send fewer' };

let app: ReturnType<typeof testApp>;
let server: HttpServer;
/** Requests that have been read, each until it is let go. */
const running = new Map<string, () => void>();
let sockets: Socket[] = [];
/** Each is another project, unless a request names one. */
let callers = 0;
let isSending = false;

beforeAll(async () => {
  app = testApp({
    // A caller who has to be looked up.
    authenticate: async (req, res) => {
      if (req.headers['x-unknown']) await sleep(50);
      const person = req.headers['x-person'];
      const projectId = req.headers['x-project']?.toString() ?? `p${(callers += 1)}`;
      const scopes = ['full'];
      localsOf(res).caller =
        person === undefined
          ? { kind: 'api-key', keyId: 'k', projectId, scopes }
          : { kind: 'person', keyId: `person:${person.toString()}`, scopes };
    },
    routes: (router) => {
      const handle = async ({ body }: { body: { name: string } }) => {
        await new Promise<void>((letGo) => running.set(body.name, letGo));
        return { body: { name: body.name } };
      };
      router.get('/v1/list', route({ replyBytesMax: 1_000_000, handle: () => Promise.resolve({ body: [] }) }));
      const endless = function* () {
        isSending = true;
        for (;;) yield 'x'.repeat(65_536);
      };
      router.get('/v1/endless', route({ replyBytesMax: 900_000, handle: () => ({ stream: endless() }) }));
      const grow = async (request: RouteRequest<{ body: { name: string } }>) => {
        // What it took first is given back while it waits for more.
        if (!request.growNow(900_000)) await request.growTo(900_000, plans);
        if (!request.growNow(900_000)) await request.growTo(1_800_000, plans);
        return await handle(request);
      };
      router.post('/v1/grown', route<{ body: { name: string } }>({ body: { type: 'object' }, handle: grow }));
      router.post('/v1/x', route<{ body: { name: string } }>({ body: { type: 'object' }, handle }));
    },
  });
  const budgets: ByteBudgets = {
    small: new ByteBudget(1_000_000),
    large: new ByteBudget(150_000),
    replies: new ByteBudget(2_000_000),
  };
  Object.assign(stateOf(app), { budgets });
  server = await serve(app, { shutdownMs: 100 });
});
afterEach(() => {
  for (const letGo of running.values()) letGo();
  for (const socket of sockets) socket.destroy();
  running.clear();
  sockets = [];
});
afterAll(() => server.close());

/** Sends a body, and answers with what has come back whenever it is asked. */
function send(body: string, announcedBytes = body.length, header = ''): () => string {
  return sendRaw(`Content-Length: ${announcedBytes}${header}\r\n\r\n${body}`);
}

/** The same without saying how long it is. */
function sendChunked(body: string): () => string {
  return sendRaw(`Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
}

function sendRaw(rest: string): () => string {
  return sendLine('POST /v1/x HTTP/1.1', `Content-Type: application/json\r\n${rest}`);
}

function sendLine(line: string, rest: string): () => string {
  let came = '';
  const socket = connect(server.port, '127.0.0.1');
  socket.on('data', (chunk) => (came += chunk.toString())).on('error', () => undefined);
  socket.write(`${line}\r\nHost: x\r\n${rest}`);
  sockets.push(socket);
  return () => came;
}

/** What a refusal says. */
function refusalIn(reply: string): { readonly detail: string; readonly remedy: string } {
  const { detail, remedy } = JSON.parse(reply.slice(reply.indexOf('{'), reply.lastIndexOf('}') + 1)) as {
    readonly detail: string;
    readonly remedy: string;
  };
  return { detail, remedy };
}

async function until(isTrue: () => boolean): Promise<void> {
  const untilMs = performance.now() + ms;
  let isDone = isTrue();
  while (!isDone && performance.now() < untilMs) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    isDone = isTrue();
  }
  expect(isDone).toBe(true);
}

describe('[sec-28] room for bodies', () => {
  it('a body waits until others are answered; a small one does not', async () => {
    const replies = ['a', 'b', 'c'].map((name) => send(bodyOf(name)));
    await until(() => running.size === 2);
    const small = send('{"name":"small"}');
    await until(() => running.has('small'));
    expect(running.size).toBe(3);
    running.get('small')?.();
    await until(() => small().includes('200 OK'));
    expect(running.has('c')).toBe(false);
    running.get('a')?.();
    await until(() => running.has('c'));
    for (const letGo of running.values()) letGo();
    await until(() => replies.every((reply) => reply().includes('200 OK')));
  });

  it('a caller who leaves gives back what he held', async () => {
    send(bodyOf('a'));
    send(bodyOf('b'));
    await until(() => running.size === 2);
    for (const socket of sockets) socket.destroy();
    send(bodyOf('c'));
    await until(() => running.has('c'));
    expect(running.size).toBe(3);
  });

  // Nothing of it was read: a request with megabytes for which there is no memory is refused by its head alone.
  it('503 with Retry-After when there is no room in time, and what bounds it', async () => {
    send(bodyOf('a'));
    send(bodyOf('b'));
    await until(() => running.size === 2);
    const others = new HeldBytes('others');
    expect(stateOf(app).budgets.replies.takeNow(2_000_000, others)).toBe(true);
    const list = sendLine('GET /v1/list HTTP/1.1', '\r\n');
    const waiting = [send('{"name":', 100_000), sendChunked(bodyOf('c')), list];
    await until(() => waiting.every((reply) => reply().includes('}')));
    others.end();
    expect([...running.keys()]).toEqual(['a', 'b']);
    for (const reply of waiting) expect(reply()).toMatch(/^HTTP\/1.1 503 [^]*retry-after: 2/i);
    const [announced, unannounced, ofList] = waiting.map((reply) => refusalIn(reply()));
    expect(announced).toEqual({
      detail:
        'The body has 100000 bytes, and within 5 seconds there was no memory for it: bodies of more than 65536 bytes may have 150000 bytes together in this process, those of one caller at most as much as is left free. Nothing of it was kept.',
      remedy:
        'Send the request again after the time in Retry-After; send fewer bodies at the same time, or bodies of at most 65536 bytes, which do not wait for larger ones.',
    });
    expect(unannounced?.detail).toMatch(/^The body has no Content-Length and counts as 1048576 bytes, and within /);
    expect(ofList).toEqual({
      detail:
        'The reply may have 1000000 bytes, and within 5 seconds there was no memory for it: large replies may have 2000000 bytes together in this process, those of one caller at most as much as is left free. Nothing was read.',
      remedy:
        'Send the request again after the time in Retry-After; send fewer requests at the same time, or request smaller pages.',
    });
  });

  it('whoever reads nothing has a share, and gives it up for who has none', async () => {
    for (let n = 0; n < 3; n += 1) {
      const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
      socket.write('GET /v1/endless HTTP/1.1\r\nHost: x\r\nX-Person: Ann\r\n\r\n');
      sockets.push(socket);
    }
    await until(() => isSending);
    // The second reply of one person waits; there is room for it, and it is that of others.
    const probe = new HeldBytes('project:probe');
    expect(stateOf(app).budgets.replies.takeNow(900_000, probe)).toBe(true);
    const list = sendLine('GET /v1/list HTTP/1.1', '\r\n');
    await until(() => list().includes('HTTP/1.1'));
    probe.end();
    expect(list()).toContain('200 OK');
  });

  it('what a small body grows to waits for memory, and gives it back with the reply', async () => {
    const grown = (name: string) => {
      const body = JSON.stringify({ name });
      const head = `Content-Type: application/json\r\nContent-Length: ${body.length}`;
      return sendLine('POST /v1/grown HTTP/1.1', `${head}\r\n\r\n${body}`);
    };
    const { replies } = stateOf(app).budgets;
    const others = new HeldBytes('others');
    await until(() => replies.takeNow(2_000_000, others));
    const refused = grown('none');
    await until(() => refused().includes('}'));
    expect(refusalIn(refused()).detail).toMatch(
      /^The plans may have 900000 bytes, and within 5 seconds.*: plans may have 2000000 bytes.* Nothing was written\.$/,
    );
    others.end();
    const [one, other] = ['one', 'other'].map(grown);
    await until(() => running.size === 1);
    expect(replies.takeNow(300_000, new HeldBytes('x'))).toBe(false);
    const [first = ''] = running.keys();
    running.get(first)?.();
    await until(() => running.size === 2);
    for (const letGo of running.values()) letGo();
    await until(() => [one, other].every((reply) => reply?.().includes('200 OK')));
    const last = new HeldBytes('last');
    await until(() => replies.takeNow(2_000_000, last));
    last.end();
  });

  // Bytes that trickle in would hold memory for 10 s, and another caller waits 5 s for it.
  it.each([
    ['that says its size', ['worked'], () => send('{"name":', 70_000)],
    [
      'that does not',
      [],
      () => sendRaw(`Transfer-Encoding: chunked\r\n\r\n20000\r\n${bodyOf('slow').slice(0, 70_000)}`),
    ],
  ])('a body %s and comes too slowly gives way; one that is worked on does not', async (_, working, slowly) => {
    for (const name of working) send(bodyOf(name));
    await until(() => running.size === working.length);
    const slow = slowly();
    await until(() => {
      const probe = new HeldBytes('probe');
      const isFree = stateOf(app).budgets.large.takeNow(75_000, probe);
      probe.end();
      return !isFree;
    });
    const next = send(bodyOf('next'));
    await until(() => running.has('next') && slow().includes('}'));
    expect(slow()).toContain('HTTP/1.1 408');
    expect(refusalIn(slow()).detail).toBe(
      'The body did not arrive in time. Another caller waits for the memory that it holds.',
    );
    expect([...running.keys()]).toEqual([...working, 'next']);
    running.get('next')?.();
    await until(() => next().includes('200 OK'));
  });

  it('says what bounds the small ones', async () => {
    const others = new HeldBytes('others');
    expect(stateOf(app).budgets.small.takeNow(1_000_000, others)).toBe(true);
    const late = send('{"name":"small"}');
    await until(() => late().includes('}'));
    others.end();
    expect(refusalIn(late())).toEqual({
      detail: expect.stringContaining(
        'The body has 16 bytes, and within 5 seconds there was no memory for it: bodies of at most 65536 bytes may have 1000000 bytes together in this process',
      ),
      remedy: 'Send the request again after the time in Retry-After; send fewer bodies at the same time.',
    });
  });

  it('a caller who leaves while he is looked up holds nothing', async () => {
    for (let n = 0; n < 4; n += 1) send('{"name":', 70_000, '\r\nX-Unknown: yes');
    await new Promise((resolve) => setTimeout(resolve, 10));
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    send(bodyOf('a'));
    send(bodyOf('b'));
    await until(() => running.size === 2);
    expect([...running.keys()]).toEqual(['a', 'b']);
  });

  it('one that does not say its size counts as a small one while it is', async () => {
    const names = ['c0', 'c1', 'c2', 'c3', 'c4'];
    for (const name of names) sendChunked(JSON.stringify({ name }));
    await until(() => running.size === names.length);
    expect([...running.keys()].toSorted()).toEqual(names);
    const large = sendChunked(bodyOf('large'));
    await until(() => running.has('large'));
    const next = send(bodyOf('next'));
    running.get('large')?.();
    await until(() => large().includes('200 OK') && running.has('next'));
    running.get('next')?.();
    await until(() => next().includes('200 OK'));
  });
});
