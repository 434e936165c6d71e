import { createMetrics } from '@sluice/telemetry';
import { requestMeter } from './request-state';

const route = '/v1/things/:id';

async function read(requests: readonly (readonly [string, number])[]): Promise<string> {
  const metrics = createMetrics('search');
  const meter = requestMeter(metrics);
  for (const [method, status] of requests) meter(method, route, status, 0.02);
  return (await metrics.expose()).body;
}

describe('the meter of requests', () => {
  it('has one series for each method, route and class of status', async () => {
    const body = await read([
      ['GET', 200],
      ['GET', 204],
      ['GET', 404],
      ['GET', 499],
      ['PROPFIND', 405],
      ['MKCOL', 405],
    ]);
    const counts = [...body.matchAll(/request_duration_seconds_count\{(.+)\} (\d+)/g)];
    const labelOf = (labels: string, name: string) => new RegExp(`${name}="([^"]+)"`).exec(labels)?.[1];
    const series = counts.map(([, labels = '', count]) => [
      ...['method', 'route', 'status'].map((name) => labelOf(labels, name)),
      count,
    ]);
    expect(series).toEqual([
      ['GET', route, '2xx', '2'],
      ['GET', route, '4xx', '2'],
      ['other', route, '4xx', '2'],
    ]);
  });

  it.each([
    [500, 1],
    [503, 1],
    [502, 0],
    [504, 0],
    [429, 0],
  ])('%d is a fault of ours %d times', async (status, failures) => {
    expect(await read([['POST', status]])).toContain(
      `sluice_http_failures_total{route="${route}",service="search"} ${failures}`,
    );
  });
});
