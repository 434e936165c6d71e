import { once } from 'node:events';
import { connect } from 'node:net';
import { serve, testApp } from '../test/test-app';
import { route } from './route';
import { jsonText, listText } from './send-reply';
import type { HttpServer } from './start-server';

const item = { text: 'é'.repeat(50_000) };
let server: HttpServer;
/** How many items were asked for, and whether nobody asks any more. */
const source = { asked: 0, isOver: false };

async function* items(count: number, failsAt = Infinity): AsyncGenerator<object> {
  try {
    for (let at = 0; at < count; at += 1) {
      if (at === failsAt) throw new Error('the source broke');
      source.asked += 1;
      await Promise.resolve();
      yield item;
    }
  } finally {
    source.isOver = true;
  }
}

beforeAll(async () => {
  const app = testApp({
    routes: (router) => {
      router.get('/v1/items', route({ handle: ({ query }) => ({ stream: itemsOf(query) }) }));
      router.get('/v1/lists', route({ handle: ({ query }) => ({ stream: jsonText(listsOf(query)) }) }));
    },
  });
  server = await serve(app, { shutdownMs: 100 });
});
afterAll(() => server.close());
beforeEach(() => {
  Object.assign(source, { asked: 0, isOver: false });
});

function itemsOf(query: unknown): AsyncGenerator<string> {
  const { count, failsAt } = query as { count: string; failsAt?: string };
  return listText(items(Number(count), failsAt === undefined ? Infinity : Number(failsAt)), ['{"items":[', ']}']);
}

const listOf = (count: number) => Array.from({ length: count }, () => item);
const get = (query: string) => fetch(`http://127.0.0.1:${server.port}/v1/items?${query}`);

it.each([0, 1, 2])('a reply of %i items has its length', async (count) => {
  const reply = await get(`count=${count}`);
  const text = await reply.text();
  expect(JSON.parse(text)).toEqual({ items: listOf(count) });
  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(reply.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
});

it('a large one arrives whole', async () => {
  const reply = await get('count=200');
  expect(reply.headers.get('content-length')).toBeNull();
  expect(await reply.json()).toEqual({ items: listOf(200) });
});

/** Of many short pieces: plain ones, or with letters that are no ASCII. */
const listsOf = (query: unknown) => {
  const { count, letter } = query as { count: string; letter: string };
  return Array.from({ length: Number(count) }, (_, at) => ({ at, text: letter.repeat(at % 50) }));
};

it.each([
  [0, 'a'],
  [300, 'a'],
  [300, 'ü'],
  [20_000, 'ü'],
])('a list of %i items that is in memory arrives whole: %s', async (count, letter) => {
  const url = `http://127.0.0.1:${server.port}/v1/lists?count=${count}&letter=${encodeURIComponent(letter)}`;
  const reply = await fetch(url);
  const text = await reply.text();
  expect(JSON.parse(text)).toEqual(listsOf({ count, letter }));
  const isWhole = count < 1_000;
  expect(reply.headers.get('content-length')).toBe(isWhole ? String(Buffer.byteLength(text)) : null);
  const head = await fetch(url, { method: 'HEAD' });
  expect(await head.text()).toBe('');
  expect(head.headers.get('content-length')).toBe(reply.headers.get('content-length'));
});

it('a failure before anything was sent is answered as any other', async () => {
  const reply = await get('count=100&failsAt=2');
  expect(reply.status).toBe(500);
  expect(await reply.json()).toMatchObject({ code: 'service.defect' });
});

it('a later one breaks the reply off', async () => {
  const reply = await get('count=100&failsAt=60');
  expect(reply.status).toBe(200);
  await expect(reply.text()).rejects.toThrow('terminated');
});

it('no more is made than the client reads, and nothing more when it leaves', async () => {
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET /v1/items?count=5000 HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'readable');
  let before = -1;
  // 500 MB in all: the sockets take some, and then nobody asks for more.
  while (before !== source.asked) {
    before = source.asked;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(source.asked).toBeLessThan(500);
  expect(source.isOver).toBe(false);
  socket.destroy();
  while (!source.isOver) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(source.asked).toBeLessThan(502);
});

it.each<[unknown]>([
  [{ a: 1, b: undefined, c: [], d: {}, e: [1, undefined, null, { x: [2, { y: 'ü' }] }], f: 'text' }],
  [[]],
  [{}],
  [null],
  ['text'],
  [{ at: new Date(0), nested: { at: new Date(1), deep: { deeper: { deepest: [1] } } } }],
  [{ __proto__: 1, 'a"b': [[[[['deep']]]]] }],
])('jsonText gives what JSON.stringify gives: %j', (value) => {
  expect([...jsonText(value)].join('')).toBe(JSON.stringify(value));
});

it('jsonText takes what can be iterated for a list', () => {
  expect([...jsonText({ results: new Set([1, { a: 2 }]).values() })].join('')).toBe('{"results":[1,{"a":2}]}');
});
