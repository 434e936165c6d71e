import { DefectError } from '@sluice/errors';
import {
  Counter as PromCounter,
  Gauge as PromGauge,
  Histogram as PromHistogram,
  Registry,
  collectDefaultMetrics,
} from 'prom-client';
import {
  metricTable,
  type CounterName,
  type GaugeName,
  type HistogramName,
  type LabelsOf,
  type MetricName,
  type MetricRow,
} from './metric-table';
import { FiguresByProject } from './minutes';

/** The labels of a metric that has some, before its value. */
type Labelled<N extends MetricName, Value extends unknown[]> = keyof LabelsOf<N> extends never
  ? Value
  : [labels: LabelsOf<N>, ...value: Value];

/** Only grows. `by` defaults to 1; with 0 a series is begun, so that its first growth can be seen. */
export interface Counter<N extends CounterName> {
  inc(...of: Labelled<N, [by?: number]>): void;
  /** One series of it, for callers whose labels are always the same: no allocation per call. */
  labels(labels: LabelsOf<N>): { inc(by?: number): void };
}

/** Goes up and down. */
export interface Gauge<N extends GaugeName> {
  set(...of: Labelled<N, [value: number]>): void;
}

/** A distribution. Durations are in seconds (Prometheus base unit), so the name ends in `_seconds`. */
export interface Histogram<N extends HistogramName> {
  observe(...of: Labelled<N, [value: number]>): void;
  /** One series of it, as with a counter. */
  labels(labels: LabelsOf<N>): { observe(value: number): void };
}

/**
 * The metrics of one service, in a registry of its own, so several services can share a process. Help, labels and buckets stand in the
 * table of metrics. The same name gives the same metric. A counter whose labels are all closed sets stands at 0 from the start: for
 * `rate()`, a series that first appears at 1 never grew.
 */
export interface Metrics {
  counter<N extends CounterName>(name: N): Counter<N>;
  gauge<N extends GaugeName>(name: N): Gauge<N>;
  histogram<N extends HistogramName>(name: N): Histogram<N>;
  /** Counts by project, which the text for a scraper does not have. */
  readonly byProject: FiguresByProject;
  /** Called before each reading, for gauges of values that are kept elsewhere. It must not wait. */
  onRead(refresh: () => void): void;
  /** The text a scraper reads: this service's metrics, each labelled `service`, then those of the process. */
  expose(): Promise<{ contentType: string; body: string }>;
}

/** Metrics of one service in the Prometheus text format, plus the default metrics of the process (memory, event loop, GC). */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  const ofProcess = processRegistry();
  const refreshers: (() => void)[] = [];
  const known = (name: MetricName): unknown => registry.getSingleMetric(name);
  const options = (name: MetricName) => {
    const { help, labels } = rowOf(name);
    return { name, help, labelNames: Object.keys(labels), registers: [registry] };
  };
  // The types of the labels come from the table; those of prom-client are wider.
  return {
    counter: <N extends CounterName>(name: N) =>
      (known(name) ?? zeroed(new PromCounter(options(name)), rowOf(name))) as Counter<N>,
    gauge: <N extends GaugeName>(name: N) => (known(name) ?? new PromGauge(options(name))) as Gauge<N>,
    histogram: <N extends HistogramName>(name: N) =>
      (known(name) ?? new PromHistogram({ ...options(name), buckets: bucketsOf(name) })) as Histogram<N>,
    byProject: new FiguresByProject(),
    onRead: (refresh) => void refreshers.push(refresh),
    expose: async () => {
      for (const refresh of refreshers) refresh();
      return {
        contentType: registry.contentType,
        body: `${await registry.metrics()}\n${await ofProcess.metrics()}`,
      };
    },
  };
}

/** Starts every series that a counter can have at 0, when they are known. */
function zeroed(counter: PromCounter, row: MetricRow): PromCounter {
  for (const labels of seriesOf(row)) counter.inc(labels, 0);
  return counter;
}

function seriesOf({ labels }: MetricRow): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (series, [label, values]) =>
      'from' in values ? [] : series.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  );
}

function bucketsOf(name: HistogramName): number[] {
  return [...(rowOf(name).buckets ?? [])];
}

/** @throws DefectError for a name that only a cast can bring here */
function rowOf(name: MetricName): MetricRow {
  const row: MetricRow | undefined = metricTable[name];
  if (row !== undefined) return row;
  throw new DefectError({ code: 'service.defect', detail: `${name} is not in the table of metrics` });
}

let registry: Registry | undefined;

/** Default metrics of this process, collected once however many services run in it. */
function processRegistry(): Registry {
  if (!registry) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
