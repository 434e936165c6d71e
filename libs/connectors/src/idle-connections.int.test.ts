import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { patientMs } from '../test/provider-stub';
import { createHttpClient, type HttpClient } from './http-client';

/**
 * A provider in a thread of its own, so that it goes on while ours is busy: it answers, closes its connection when it is asked to, without having
 * announced it, and says so in memory that both threads see. It counts the requests that reached it.
 */
const provider = `
const { createServer } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
let requests = 0;
let latest;
const server = createServer((request, response) => {
  requests += 1;
  latest = request.socket;
  request.resume().on('end', () => response.end('{"id":"1"}'));
});
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => parentPort.postMessage({ port: server.address().port }));
parentPort.on('message', (asked) => {
  if (asked === 'count') parentPort.postMessage({ requests });
  else latest.end(() => Atomics.store(workerData, 0, 1) + Atomics.notify(workerData, 0));
});
`;

const closed = new Int32Array(new SharedArrayBuffer(4));
let worker: Worker;
let client: HttpClient;
beforeAll(async () => {
  worker = new Worker(provider, { eval: true, workerData: closed });
  const { port } = await answer<{ port: number }>();
  client = createHttpClient({ baseUrl: `http://127.0.0.1:${port}`, callTimeoutMs: patientMs });
});
afterAll(async () => {
  await client.close();
  await worker.terminate();
});

function answer<T>(): Promise<T> {
  return new Promise((resolve) => worker.once('message', resolve));
}

const closeIt = (): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  worker.postMessage('close');
};

/** Keeps this thread from looking at its sockets until the provider has closed the one it has. */
function isBusyUntilClosed(): void {
  closeIt();
  expect(Atomics.wait(closed, 0, 0, patientMs)).not.toBe('timed-out');
  Atomics.store(closed, 0, 0);
  // The provider's side is gone altogether by then, and would answer a request with a reset.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 40);
}

/** Waits for the provider to close while this thread looks at its sockets, as it does when it has nothing else to do. */
async function closedInPeace(): Promise<void> {
  closeIt();
  while (Atomics.load(closed, 0) === 0) await delay(5);
  Atomics.store(closed, 0, 0);
  await delay(20);
}

const rounds = 8;

// A provider closes connections that were idle; when that happens while we are busy, undici still believes in them, and a create
// that is written into one has an outcome that nobody knows. Each create here must have its reply.
it('a connection that was closed while this process was busy costs no create its outcome', async () => {
  const outcomes: string[] = [];
  const create = async () => {
    const request = { method: 'POST', path: '/crm/v3/objects/contacts', headers: {}, body: { a: 1 } } as const;
    outcomes.push((await client.send(request)).kind);
  };
  for (let round = 0; round < rounds; round++) {
    await create();
    await create();
    isBusyUntilClosed();
    await create();
    await closedInPeace();
  }
  expect(outcomes).toEqual(Array.from({ length: 3 * rounds }, () => 'reply'));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  worker.postMessage('count');
  expect(await answer()).toEqual({ requests: 3 * rounds });
});
