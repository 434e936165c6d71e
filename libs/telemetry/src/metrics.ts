import { DefectError } from '@sluice/errors';
import { Counter as PromCounter, Gauge as PromGauge, Histogram as PromHistogram, Registry } from 'prom-client';
import { processRegistry } from './process-registry';

/** Label values of one sample. Only small closed sets: never an id, a name or a value of a customer. */
export type Labels = Readonly<Record<string, string | number>>;

/** Only grows. `by` defaults to 1. */
export interface Counter {
  inc(labels: Labels, by?: number): void;
  inc(by?: number): void;
}

/** Goes up and down. */
export interface Gauge {
  set(labels: Labels, value: number): void;
  set(value: number): void;
  inc(labels: Labels, by?: number): void;
  inc(by?: number): void;
  dec(labels: Labels, by?: number): void;
  dec(by?: number): void;
}

/** A distribution. Durations are in seconds (Prometheus base unit), so the name ends in `_seconds`. */
export interface Histogram {
  observe(labels: Labels, value: number): void;
  observe(value: number): void;
  /** Starts a clock; the returned function observes the elapsed seconds and returns them. */
  startTimer(labels?: Labels): (labels?: Labels) => number;
}

/**
 * The metrics of one service, in a registry of its own, so several services can share a process.
 * Asking again for a name gives the same metric; asking for it as another kind is a defect.
 */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  gauge(name: string, help: string, labels?: readonly string[]): Gauge;
  /** `buckets`: upper bounds, ascending. @default `durationBuckets` */
  histogram(name: string, help: string, labels?: readonly string[], buckets?: readonly number[]): Histogram;
  /** The text a scraper reads: this service's metrics, each labelled `service`, then those of the process. */
  expose(): Promise<{ contentType: string; body: string }>;
}

/** Seconds. From a local accept (about 1 ms) to the longest provider call with its wait (60 s). */
export const durationBuckets: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** Metrics of one service in the Prometheus text format, plus the default metrics of the process (memory, event loop, GC). */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  const ofProcess = processRegistry();
  const common = (name: string, help: string, labels: readonly string[] = []) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  return {
    counter: (name, help, labels) => reuse(registry, name, PromCounter) ?? new PromCounter(common(name, help, labels)),
    gauge: (name, help, labels) => reuse(registry, name, PromGauge) ?? new PromGauge(common(name, help, labels)),
    histogram: (name, help, labels, buckets = durationBuckets) =>
      reuse(registry, name, PromHistogram) ??
      new PromHistogram({ ...common(name, help, labels), buckets: [...buckets] }),
    expose: async () => ({
      contentType: registry.contentType,
      body: `${await registry.metrics()}\n${await ofProcess.metrics()}`,
    }),
  };
}

function reuse<T>(registry: Registry, name: string, kind: new (options: never) => T): T | undefined {
  const known: unknown = registry.getSingleMetric(name);
  if (known === undefined || known instanceof kind) return known;
  throw new DefectError({
    code: 'service.defect',
    detail: `metric ${name} is already of another kind than ${kind.name}`,
  });
}
