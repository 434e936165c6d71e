import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@sluice/testkit';

export interface PrometheusOptions {
  readonly program: string;
  /** Name of a job and the URL of its metrics. */
  readonly targets: Readonly<Record<string, string>>;
  /** Text of the rules file. */
  readonly rules: string;
}

/** A Prometheus that asks every second. */
export interface RunningPrometheus {
  /** Jobs whose last scrape succeeded. */
  up(): Promise<string[]>;
  /** Alerts by name with their state, `pending` or `firing`. */
  alerts(): Promise<Map<string, 'pending' | 'firing'>>;
  /** Labels and value of each result of an expression. */
  ask(expr: string): Promise<{ readonly metric: Record<string, string>; readonly value: [number, string] }[]>;
  stop(): Promise<void>;
}

/** Also how long a process may take to answer it: on a slow machine half a second is too short. */
const every = '1s';

export async function startPrometheus({ program, targets, rules }: PrometheusOptions): Promise<RunningPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-prometheus-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const config = configOf(targets, file('rules.yaml', rules));
  const port = await freePort();
  const log = openSync(join(folder, 'log'), 'w');
  const args = [
    `--config.file=${file('prometheus.yaml', JSON.stringify(config))}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn(program, args, { stdio: ['ignore', log, log] });
  const ask = async <T>(path: string): Promise<T> => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended: ${readFileSync(join(folder, 'log'), 'utf8')}`);
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    return ((await reply.json()) as { data: T }).data;
  };
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    );
  await until('Prometheus is ready', isReady);
  type Alert = { labels: { alertname: string }; state: 'pending' | 'firing' };
  type Result = { metric: Record<string, string>; value: [number, string] };
  return {
    up: async () => {
      const { result } = await ask<{ result: Result[] }>('query?query=up%20%3D%3D%201');
      return result.map(({ metric }) => metric['job'] ?? '');
    },
    alerts: async () => {
      const { alerts } = await ask<{ alerts: Alert[] }>('alerts');
      // Of several alerts of one name the one that fires counts.
      const inOrder = alerts.toSorted((a, b) => b.state.localeCompare(a.state));
      return new Map(inOrder.map(({ labels, state }) => [labels.alertname, state]));
    },
    ask: async (expr) => (await ask<{ result: Result[] }>(`query?query=${encodeURIComponent(expr)}`)).result,
    stop: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configOf(targets: PrometheusOptions['targets'], rulesFile: string): object {
  return {
    global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
    rule_files: [rulesFile],
    scrape_configs: Object.entries(targets).map(([job, url]) => ({
      job_name: job,
      static_configs: [{ targets: [new URL(url).host] }],
    })),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
