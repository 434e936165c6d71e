import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { patientMs } from '../test/provider-stub';
import { createHttpClient, type HttpClient } from './http-client';

/** A provider that counts who connects. */
async function startCounter() {
  const counted = { connections: 0, requests: 0 };
  const server = createServer((_, response) => void response.end(`{"id":"${(counted.requests += 1)}"}`));
  server.on('connection', () => (counted.connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { counted, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

type Counter = Awaited<ReturnType<typeof startCounter>>;

let one: Counter;
let other: Counter;
let client: HttpClient;
beforeEach(async () => {
  [one, other] = [await startCounter(), await startCounter()];
  const egress = { trustedOrigins: [one.url, other.url] };
  client = createHttpClient({ baseUrl: 'http://127.0.0.1:1', callTimeoutMs: patientMs, egress });
});
afterEach(async () => {
  await client.close();
  for (const { server } of [one, other]) server.close();
});

const send = ({ url }: Counter) => client.send({ method: 'POST', origin: url, path: '/x', headers: {}, body: {} });

test('accounts with a host each have connections of their own, and one account uses one', async () => {
  for (let at = 0; at < 20; at += 1) expect((await send(at % 2 ? one : other)).kind).toBe('reply');
  expect([one.counted, other.counted]).toEqual([1, 2].map(() => ({ connections: 1, requests: 10 })));
});

test('calls at the same time have a connection each, which the next ones use again', async () => {
  for (let round = 0; round < 5; round += 1) await Promise.all(Array.from({ length: 8 }, () => send(one)));
  expect(one.counted.requests).toBe(40);
  expect(one.counted.connections).toBeLessThanOrEqual(8);
});
