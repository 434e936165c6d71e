import { connect, type Socket } from 'node:net';
import { createByteBudget } from '@sluice/telemetry';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { createApp } from './create-app';
import { stateOf } from './app-state';
import { route } from './route';
import { startServer, type HttpServer } from './start-server';
import type { ServedRoom } from './served-room';

/** Bodies of more than 64 kB, of which the room takes two. */
const bodyOf = (name: string) => JSON.stringify({ name, text: 'x'.repeat(70_000) });
const ms = 20_000;

let server: HttpServer;
/** Requests that have been read, each until it is let go. */
const running = new Map<string, () => void>();
let sockets: Socket[] = [];

beforeAll(async () => {
  const app = createApp({
    service: 'test',
    logger: silentLogger,
    metrics: createMetrics('test'),
    ready: async () => ({ ready: true, checks: {} }),
    routes: (router) => {
      const handle = async ({ body }: { body: { name: string } }) => {
        await new Promise<void>((letGo) => running.set(body.name, letGo));
        return { body: { name: body.name } };
      };
      router.post('/v1/x', route<{ body: { name: string } }>({ body: { type: 'object' }, handle }));
    },
  });
  const room: ServedRoom = {
    small: createByteBudget(1_000_000),
    large: createByteBudget(150_000),
    replies: createByteBudget(2_000_000),
  };
  Object.assign(stateOf(app), { room });
  server = await startServer(app, { port: 0, host: '127.0.0.1', logger: silentLogger, shutdownMs: 100 });
});
afterEach(() => {
  for (const letGo of running.values()) letGo();
  for (const socket of sockets) socket.destroy();
  running.clear();
  sockets = [];
});
afterAll(() => server.close());

/** Sends a body, and answers with what has come back whenever it is asked. */
function send(body: string, announcedBytes = body.length): () => string {
  let came = '';
  const socket = connect(server.port, '127.0.0.1');
  socket.on('data', (chunk) => (came += chunk.toString())).on('error', () => undefined);
  const head = `POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${announcedBytes}`;
  socket.write(`${head}\r\n\r\n${body}`);
  sockets.push(socket);
  return () => came;
}

async function until(isTrue: () => boolean): Promise<void> {
  const untilMs = performance.now() + ms;
  while (!isTrue() && performance.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isTrue()).toBe(true);
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

  // Nothing of it was read: who sends megabytes that nobody has room for is told so by the head alone.
  it('503 with Retry-After when there is no room in time', async () => {
    send(bodyOf('a'));
    send(bodyOf('b'));
    await until(() => running.size === 2);
    const late = send('{"name":', 100_000);
    await until(() => late().includes('\r\n\r\n'));
    expect(late()).toMatch(/^HTTP\/1.1 503 /);
    expect(late()).toMatch(/retry-after: 2/i);
    expect(late()).toContain('this one has 100000');
    expect(running.has('c')).toBe(false);
  });
});
