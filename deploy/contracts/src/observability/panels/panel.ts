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

/** Forms of PromQL that the panels share. `$window` stands for the range. */

/** Growth per second, summed by labels. */
export function rateBy(labels: string, metric: string): string {
  return `sum by (${labels}) (rate(${metric}[$window]))`;
}

/** A quantile of a histogram, by labels if there are some. */
export function quantileBy(quantile: number, labels: string, histogram: string): string {
  const by = labels === '' ? 'le' : `le, ${labels}`;
  return `histogram_quantile(${quantile}, sum by (${by}) (rate(${histogram}[$window])))`;
}
