import type { Metrics } from '@sluice/telemetry';

/** Counts a request that is over. `status` is the one that is logged, `seconds` the time it took. */
export type RequestMeter = (method: string, route: string, status: number, seconds: number) => void;

const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
/** Methods that routes have. A client can send thirty others, which are one series together. */
const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const);
type Method = typeof methods extends Set<infer M> ? M : never;

/** The replies with which we say that the fault is ours; a provider's failure is shown as 502 or 504. */
const ourFaults: ReadonlySet<number> = new Set([500, 503]);

/** Each series is looked up under one string and made once: this runs for every request. */
export function requestMeter(metrics: Metrics): RequestMeter {
  const durations = metrics.histogram('sluice_http_request_duration_seconds');
  const failures = metrics.counter('sluice_http_failures_total');
  const known = new Map<string, { observe(value: number): void }>();
  const seriesOf = (method: string, route: string, status: number) => {
    const series = durations.labels({
      method: methods.has(method as Method) ? (method as Method) : 'other',
      route,
      status: classes[Math.floor(status / 100) - 1] ?? '5xx',
    });
    // Its failures begin at 0 with its first request: what first appears at 1 never grew.
    failures.inc({ route }, 0);
    return series;
  };
  return (method, route, status, seconds) => {
    const key = `${method} ${Math.floor(status / 100)} ${route}`;
    let series = known.get(key);
    if (series === undefined) known.set(key, (series = seriesOf(method, route, status)));
    series.observe(seconds);
    if (ourFaults.has(status)) failures.inc({ route });
  };
}
