import { createMetrics } from './metrics';

describe('createMetrics', () => {
  it('exposes its metrics with the service label, and those of the process', async () => {
    const metrics = createMetrics('executor');
    metrics.counter('sluice_claims_total', 'Claims.', ['source']).inc({ source: 'message' }, 2);
    metrics.gauge('sluice_calls_running', 'Calls running.').set(3);
    metrics.histogram('sluice_call_seconds', 'Call time.', ['provider']).observe({ provider: 'hubspot' }, 0.2);
    const { contentType, body } = await metrics.expose();
    expect(contentType).toMatch(/^text\/plain/);
    expect(body).toContain('sluice_claims_total{source="message",service="executor"} 2');
    expect(body).toContain('sluice_calls_running{service="executor"} 3');
    expect(body).toMatch(/sluice_call_seconds_bucket\{.*le="0\.25".*\} 1/);
    expect(body).toContain('process_cpu_user_seconds_total');
  });

  // Five services share one process in the embedded footprint.
  it('keeps the registries of two services apart', async () => {
    const one = createMetrics('one');
    const two = createMetrics('two');
    one.counter('c_total', 'C.').inc();
    two.counter('c_total', 'C.').inc(5);
    expect((await one.expose()).body).toContain('c_total{service="one"} 1');
    expect((await two.expose()).body).toContain('c_total{service="two"} 5');
  });

  it('gives the same metric for the same name', async () => {
    const metrics = createMetrics('s');
    metrics.counter('c_total', 'C.').inc();
    metrics.counter('c_total', 'C.').inc();
    expect((await metrics.expose()).body).toContain('c_total{service="s"} 2');
  });

  it('refuses a name that is already of another kind', () => {
    const metrics = createMetrics('s');
    metrics.counter('x', 'X.');
    expect(() => metrics.gauge('x', 'X.')).toThrow(/another kind/);
  });

  it('times in seconds', () => {
    const stop = createMetrics('s').histogram('h_seconds', 'H.').startTimer();
    const seconds = stop();
    expect(seconds).toBeGreaterThanOrEqual(0);
    expect(seconds).toBeLessThan(5);
  });
});
