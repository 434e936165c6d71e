/** A picture of one question. */
export interface Panel {
  readonly title: string;
  /** What to read out of it. */
  readonly description: string;
  readonly unit: Unit;
  /** Expression -> legend. `$window` is the range that fits the resolution. */
  readonly lines: readonly (readonly [expr: string, legend: string])[];
}

/** How a value is written, in the words of Grafana. */
export type Unit = 'short' | 's' | 'percentunit' | 'reqps' | 'ops' | 'bytes' | 'dateTimeFromNow';

/** Growth per second, summed by labels, which are the legend. */
export function rates(labels: string, metric: string): Panel['lines'] {
  return [[`sum by (${labels}) (rate(${metric}[$window]))`, legendOf(labels)]];
}

/** Quantiles of a histogram, by labels if there are some, which are the legend. */
export function quantiles(all: readonly number[], labels: string, histogram: string): Panel['lines'] {
  const by = labels === '' ? 'le' : `le, ${labels}`;
  return all.map((quantile) => [
    `histogram_quantile(${quantile}, sum by (${by}) (rate(${histogram}[$window])))`,
    `p${quantile * 100} ${legendOf(labels)}`.trimEnd(),
  ]);
}

const legendOf = (labels: string): string => labels.replace(/\w+/g, '{{$&}}').replaceAll(',', '');
