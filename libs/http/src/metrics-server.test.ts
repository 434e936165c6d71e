import { createMetrics, silentLogger } from '@sluice/telemetry';
import { startMetricsServer } from './metrics-server';
import type { HttpServer } from './start-server';

const metrics = createMetrics('executor');
const start = (port = 0) => startMetricsServer({ metrics, logger: silentLogger, port, host: '127.0.0.1' });

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
