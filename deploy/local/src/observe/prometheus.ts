import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  endProcess,
  findProgram,
  isPortFree,
  isRunning,
  type Log,
  repositoryRoot,
  spawnDetached,
  waitUntil,
} from '@sluice/stack';
import { recordProcess } from '../run-folder/run-record';
import { hasMetrics, metricsDistance, processNames, servicePorts } from '../service-ports';

/** Distance of Prometheus' port from the base, beside those of the services. */
const prometheusDistance = 900;
const readyMs = 60_000;

/** Debian has no package of either. */
const elsewhere =
  'Grafana with the dashboards, and Jaeger, with docker: cd deploy/compose && docker compose -f compose.yaml -f observe.yaml up --build --wait';

export interface PrometheusOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Where its data and its log go. */
  readonly folder: string;
  readonly portBase: number;
  readonly log: Log;
  /** Where programs are looked for. @default the checkout's tools, then the PATH */
  readonly path?: string;
}

/**
 * Prometheus of `npm run metrics:tools`, or of the PATH, on the metrics ports of the services, with our alerts. Where there is none the log says how
 * to get one, and the services run without it.
 * @returns what ends it
 */
export async function startPrometheus(options: PrometheusOptions): Promise<() => Promise<void>> {
  const { env, log, path = `${join(repositoryRoot, '.sluice', 'tools')}:${env.PATH ?? ''}` } = options;
  const program = findProgram('prometheus', { PATH: path });
  if (program === undefined)
    log('Prometheus: not installed. npm run metrics:tools takes it from Debian; elsewhere put prometheus on the PATH.');
  const end = program === undefined ? undefined : await spawnPrometheus(program, options);
  log(elsewhere);
  return end ?? (async () => undefined);
}

async function spawnPrometheus(
  program: string,
  { folder, portBase, env, log }: PrometheusOptions,
): Promise<(() => Promise<void>) | undefined> {
  const port = portBase + prometheusDistance;
  if (!(await isPortFree(port))) {
    log(`Prometheus: not started, port ${port} is in use by another program.`);
    return undefined;
  }
  const own = join(folder, 'prometheus');
  mkdirSync(own, { recursive: true });
  const config = join(own, 'prometheus.yaml');
  // JSON is YAML.
  writeFileSync(config, JSON.stringify(prometheusConfig(portBase), undefined, 2));
  const logFile = join(own, 'prometheus.log');
  const url = `http://127.0.0.1:${port}`;
  const where = [`--storage.tsdb.path=${join(own, 'data')}`, `--web.listen-address=127.0.0.1:${port}`];
  const process = await spawnDetached({ program, args: [`--config.file=${config}`, ...where], env, logFile });
  // The next start ends it where we are killed.
  recordProcess(folder, 'prometheus', process.pid);
  await waitUntil(async () => !isRunning(process) || (await isReady(url)), { withinMs: readyMs, everyMs: 100 });
  if (isRunning(process)) {
    log(`Prometheus  ${url}/alerts and ${url}/graph (sluice_…: docs/metrics.md)`);
    return () => endProcess(process, ['SIGTERM'], 10_000);
  }
  log(`Prometheus: ended at once; ${logFile} says why.`);
  return undefined;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/-/ready`)).ok;
  } catch {
    return false;
  }
}

function prometheusConfig(portBase: number): object {
  const targets = processNames.filter(hasMetrics).map((name) => ({
    targets: [`127.0.0.1:${portBase + servicePorts[name] + metricsDistance}`],
    labels: { service: name },
  }));
  return {
    global: { scrape_interval: '5s', evaluation_interval: '5s' },
    rule_files: [join(repositoryRoot, 'helm/sluice/files/alerts.yaml')],
    scrape_configs: [{ job_name: 'sluice', static_configs: targets }],
  };
}
