import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { startMetricsServer, type MetricsServerOptions } from './metrics-server';
import type { HttpServer } from './start-server';

const metrics = createMetrics('executor');
const start = (port = 0, o: Partial<MetricsServerOptions> = {}) =>
  startMetricsServer({ metrics, logger: silentLogger, port, host: '127.0.0.1', ...o });

describe('the port of the metrics', () => {
  let server: HttpServer;
  beforeAll(async () => {
    metrics.counter('sluice_claims_total').inc({ source: 'message' }, 3);
    server = await start();
  });
  afterAll(() => server.close());
  const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method });

  it('gives them in the form of Prometheus', async () => {
    const reply = await ask('/metrics');
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain/)]);
    expect(await reply.text()).toContain('sluice_claims_total{source="message",service="executor"} 3');
  });

  it.each([
    ['/', 'GET'],
    ['/healthz', 'GET'],
    ['/metrics/x', 'GET'],
    ['/metrics', 'POST'],
  ])('has nothing at %s for a %s', async (path, method) => {
    expect((await ask(path, method)).status).toBe(404);
  });

  it('names the setting to change when the port is taken', async () => {
    await expect(start(server.port)).rejects.toThrow(new RegExp(`${server.port}.*SLUICE_METRICS_PORT`));
  });

  it('is free again after a close, also with a connection that is kept', async () => {
    const other = await start();
    await (await fetch(`http://127.0.0.1:${other.port}/metrics`)).text();
    await other.close();
    const again = await start(other.port);
    expect(again.port).toBe(other.port);
    await again.close();
  });
});

describe('[sec-28] connections to the port of the metrics', () => {
  let server: HttpServer;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server.close();
  });
  const asks = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const send = (text: string): Socket => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write(text)).on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
  /** How many have been cut, as soon as it is so many, or long after they could have been. */
  const cutOf = async (most: number): Promise<number> => {
    const cut = () => sockets.filter(({ destroyed }) => destroyed).length;
    for (const lateAtMs = performance.now() + 15_000; cut() < most && performance.now() < lateAtMs;) await sleep(20);
    return cut();
  };

  it.each(['/', '/metrics'])('are at most 32, whose oldest is cut, and a scraper is answered: %s', async (path) => {
    server = await start();
    for (let at = 0; at < 80; at += 1) send(asks(path)).resume();
    expect((await fetch(`http://127.0.0.1:${server.port}/metrics`)).status).toBe(200);
    expect(await cutOf(49)).toBe(49);
  });

  it('send one request at a time', async () => {
    server = await start();
    send(asks('/metrics').repeat(3)).resume();
    expect(await cutOf(1)).toBe(1);
  });

  it('that read nothing of a reply are cut', async () => {
    const large = createMetrics('executor');
    large.counter('sluice_claims_total').inc({ source: 'x'.repeat(16_000_000) as 'message' }, 1);
    // One that goes on sending a head learns that it was cut without reading.
    const patience = { headersTimeout: 600_000, requestTimeout: 600_000 };
    const timeouts = { ...patience, unreadTimeout: 100, connectionsCheckingInterval: 20 };
    server = await start(0, { metrics: large, timeouts });
    const socket = send(asks('/metrics'));
    await once(socket, 'readable');
    const sending = setInterval(() => socket.write('G'), 20);
    expect(await cutOf(1)).toBe(1);
    clearInterval(sending);
  });
});
