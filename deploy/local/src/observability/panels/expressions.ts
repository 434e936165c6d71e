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
