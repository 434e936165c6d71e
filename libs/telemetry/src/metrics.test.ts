import { metricTable, type MetricName } from './metric-table';
import { createMetrics } from './metrics';

describe('createMetrics', () => {
  it('exposes its metrics with the service label, and those of the process', async () => {
    const metrics = createMetrics('executor');
    metrics.counter('sluice_claims_total').inc({ source: 'message' }, 2);
    metrics.gauge('sluice_quarantined_calls').set(3);
    metrics.histogram('sluice_quota_left_ratio').observe({ provider: 'hubspot', quota: 'account' }, 0.2);
    const { contentType, body } = await metrics.expose();
    expect(contentType).toMatch(/^text\/plain/);
    expect(body).toContain('sluice_claims_total{source="message",service="executor"} 2');
    expect(body).toContain('sluice_quarantined_calls{service="executor"} 3');
    expect(body).toMatch(/sluice_quota_left_ratio_bucket\{.*le="0\.2".*\} 1/);
    expect(body).toContain('process_cpu_user_seconds_total');
    expect(body).toContain('nodejs_eventloop_lag_seconds');
  });

  // Five services share one process in the embedded footprint.
  it('keeps the registries of two services apart', async () => {
    const one = createMetrics('one');
    const two = createMetrics('two');
    one.counter('sluice_bad_credentials_total').inc();
    two.counter('sluice_bad_credentials_total').inc(5);
    expect((await one.expose()).body).toContain('sluice_bad_credentials_total{service="one"} 1');
    expect((await two.expose()).body).toContain('sluice_bad_credentials_total{service="two"} 5');
  });

  it('gives the same metric for the same name, and a series of it', async () => {
    const metrics = createMetrics('s');
    metrics.counter('sluice_claims_total').inc({ source: 'sweep' });
    metrics.counter('sluice_claims_total').labels({ source: 'sweep' }).inc(2);
    expect((await metrics.expose()).body).toContain('sluice_claims_total{source="sweep",service="s"} 3');
  });

  // What first appears at 1 never grew, for a rule that asks by how much.
  it('begins every series of closed labels at 0', async () => {
    const metrics = createMetrics('s');
    metrics.counter('sluice_claims_total');
    const { body } = await metrics.expose();
    for (const source of metricTable.sluice_claims_total.labels.source) {
      expect(body).toContain(`sluice_claims_total{source="${source}",service="s"} 0`);
    }
  });

  it('refreshes what shows another thing before it is read', async () => {
    const metrics = createMetrics('s');
    const used = metrics.gauge('sluice_database_connections');
    let connections = 0;
    metrics.onRead(() => used.set({ state: 'used' }, connections));
    connections = 4;
    expect((await metrics.expose()).body).toContain('sluice_database_connections{state="used",service="s"} 4');
  });

  it('refuses a name that is not in the table', () => {
    expect(() => createMetrics('s').counter('sluice_x_total' as 'sluice_claims_total')).toThrow(/sluice_x_total/);
  });
});

describe('the table of metrics', () => {
  it.each(Object.entries(metricTable))('%s is named for what it is', (name, { kind, help }) => {
    expect(name).toMatch(/^sluice_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(kind === 'counter');
    expect(help).toMatch(/\.$/);
  });

  it('has no label whose values could be a customer', () => {
    const labels = Object.keys(metricTable).flatMap((name) => Object.keys(metricTable[name as MetricName].labels));
    const known =
      'class dependency group lane method mode operation outcome provider quota reason result route source state status sweep topic';
    expect([...new Set(labels)].toSorted().join(' ')).toBe(known);
  });
});
