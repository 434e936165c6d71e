import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { alerts, dashboards, renderRules } from '@sluice/contracts';
import { parse } from 'yaml';
import { findTool as findPrometheusTool } from '../flows/alerts/tools';
import { render, type Manifest } from './render';
import { helm, withHelm } from './tools';
import { matrix } from './values';

const promtool = findPrometheusTool('promtool', 'whether expressions are PromQL') ?? '';
const withPromtool = promtool === '' ? it.skip : it;

const urls = matrix['URLs as values, generated keys'];
const rendered = (values: object, kind: string): Manifest[] =>
  render(helm, { ...urls, ...values }).manifests.filter((manifest) => manifest.kind === kind);

interface Groups {
  readonly groups: readonly { readonly rules: readonly { annotations: { runbook_url: string } }[] }[];
}

/** What promtool says of these rules; empty when it has nothing to say. */
function faultsOf(rules: object): string {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-rules-')), 'rules.yaml');
  writeFileSync(file, JSON.stringify(rules));
  const { status, stdout, stderr } = spawnSync(promtool, ['check', 'rules', file], { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

describe('PromQL', () => {
  withPromtool('the rules are what Prometheus takes', () => {
    expect(faultsOf(parse(renderRules()) as object)).toBe('');
  });

  withPromtool('so is every expression of a panel', () => {
    const exprs = dashboards.flatMap(({ panels }) => panels.flatMap(({ lines }) => lines.map(([expr]) => expr)));
    expect(exprs.length).toBeGreaterThan(40);
    const rules = exprs.map((expr, at) => ({ record: `panel_${at}`, expr: expr.replaceAll('$window', '5m') }));
    expect(faultsOf({ groups: [{ name: 'panels', rules }] })).toBe('');
  });

  withPromtool('an expression that is none is found out', () => {
    expect(faultsOf({ groups: [{ name: 'x', rules: [{ record: 'x', expr: 'sum(rate(x[5m])' }] }] })).not.toBe('');
  });
});

describe('the chart', () => {
  withHelm('has neither rules, dashboards nor a monitor unless they are asked for', () => {
    for (const kind of ['PrometheusRule', 'ServiceMonitor']) expect(rendered({}, kind)).toEqual([]);
    expect(rendered({}, 'ConfigMap').filter(({ metadata }) => metadata.name.endsWith('-dashboards'))).toEqual([]);
  });

  withHelm('has the rules of the definition', () => {
    const [rule] = rendered({ prometheusRule: { enabled: true, labels: { release: 'prometheus' } } }, 'PrometheusRule');
    expect(rule?.spec).toEqual(parse(renderRules()));
    expect(rule?.metadata).toMatchObject({ labels: { release: 'prometheus' } });
  });

  withHelm('links each alert to a copy of its page', () => {
    const base = 'https://wiki.example.com/sluice/';
    const [rule] = rendered({ prometheusRule: { enabled: true, runbookBaseUrl: base } }, 'PrometheusRule');
    const links = (rule as unknown as { spec: Groups }).spec.groups.flatMap(({ rules }) =>
      rules.map((each) => each.annotations.runbook_url),
    );
    expect(links).toEqual(alerts.map(({ runbook }) => `${base}${runbook}.md`));
  });

  withHelm('has the dashboards of the definition', () => {
    const [map] = rendered({ dashboards: { enabled: true } }, 'ConfigMap').filter(
      ({ data }) => data?.['sluice-writes.json'],
    );
    const folder = join(__dirname, '../../helm/sluice/files/dashboards');
    expect(Object.keys(map?.data ?? {}).toSorted()).toEqual(readdirSync(folder).toSorted());
    for (const [name, text] of Object.entries(map?.data ?? {}))
      expect(text).toBe(readFileSync(join(folder, name), 'utf8'));
  });

  withHelm('asks each service at the port of its metrics', () => {
    const [monitor] = rendered({ serviceMonitor: { enabled: true } }, 'ServiceMonitor');
    expect(monitor?.spec).toMatchObject({ endpoints: [{ port: 'metrics', path: '/metrics' }] });
    const services = rendered({}, 'Service').map(
      ({ spec }) => (spec as unknown as { ports: { name: string; port: number }[] }).ports,
    );
    const ports = services.flatMap((each) => each.filter(({ name }) => name === 'metrics').map(({ port }) => port));
    expect(ports.toSorted((a, b) => a - b)).toEqual([4110, 4210, 4310, 4410, 4510]);
  });
});

describe('the compose file with Prometheus, Grafana and Jaeger', () => {
  const compose = join(__dirname, '../../deploy/compose');
  const parsed = (name: string): unknown => parse(readFileSync(join(compose, name), 'utf8'));
  interface Service {
    readonly environment?: Readonly<Record<string, string>>;
    readonly volumes?: readonly string[];
  }
  const { services } = parsed('observe.yaml') as { services: Readonly<Record<string, Service>> };

  it('asks the services of compose.yaml, each at the port of its metrics', () => {
    const { services: all } = parsed('compose.yaml') as { services: Readonly<Record<string, { ports?: string[] }>> };
    const traced = Object.keys(services).filter((name) => services[name]?.environment?.['OTEL_EXPORTER_OTLP_ENDPOINT']);
    const { scrape_configs: jobs } = parsed('observe/prometheus.yaml') as {
      scrape_configs: readonly { static_configs: readonly { targets: readonly string[] }[] }[];
    };
    // On the ports that are published, or ten above them.
    const metrics = traced.map((name) => `${name}:${Number(all[name]?.ports?.[0]?.split(':').at(-1)) + 10}`);
    expect(traced).toHaveLength(5);
    expect(jobs[0]?.static_configs[0]?.targets).toEqual(metrics);
  });

  it('mounts files that are there', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0]),
    );
    expect(mounted).toHaveLength(5);
    for (const path of mounted) expect([path, existsSync(join(compose, path ?? ''))]).toEqual([path, true]);
  });

  withPromtool('has a configuration that Prometheus takes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-prometheus-'));
    for (const file of ['observe/prometheus.yaml', '../../helm/sluice/files/alerts.yaml'])
      copyFileSync(join(compose, file), join(folder, basename(file)));
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'config', join(folder, 'prometheus.yaml')], {
      encoding: 'utf8',
    });
    expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('rules found')]);
  });
});
