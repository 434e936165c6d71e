import type { CallKind } from './imitated-provider';

/** Quantiles of the standard normal distribution at 95 % and 99 %. */
const Z95 = 1.6449;
const Z99 = 2.3263;

/** Durations of a kind of call, in milliseconds: 50, 95 and 99 of a hundred take no longer. */
interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Source: docs/contributing/providers.md, 3, time behaviour; its own numbers, not measured at a provider. */
const typical = {
  token: { p50: 150, p95: 500, p99: 1500 },
  search: { p50: 150, p95: 600, p99: 2000 },
  read: { p50: 60, p95: 120, p99: 400 },
  write: { p50: 120, p95: 350, p99: 1200 },
} as const satisfies Readonly<Record<string, Quantiles>>;

/** A batch takes 150 ms and 6 ms per record; of a hundred, one takes five seconds. Source: docs/contributing/providers.md, 3. */
const batchOf = (records: number): Quantiles => {
  const p50 = 150 + 6 * records;
  return { p50, p95: 2 * p50, p99: Math.max(5000, 3 * p50) };
};

/** How long a call of this kind takes at a provider: log-normal, the same sequence for the same random numbers. */
export const typicalMs = (kind: CallKind, random: () => number): number => drawn(quantilesOf(kind), random);

function quantilesOf({ action, records }: CallKind): Quantiles {
  if (action === 'token') return typical.token;
  if (action === 'search') return typical.search;
  if (!isWrite(action)) return typical.read;
  return action.startsWith('batch-') ? batchOf(records) : typical.write;
}

const isWrite = (action: string): boolean => /(create|update|upsert|delete|archive|associate|merge)/.test(action);

/** Log-normal below the 95th percentile, and a longer tail beyond it, so that all three quantiles hold. */
function drawn({ p50, p95, p99 }: Quantiles, random: () => number): number {
  const z = normal(random);
  const [fromZ, fromMs, toZ, toMs] = z < Z95 ? [0, p50, Z95, p95] : [Z95, p95, Z99, p99];
  const slope = Math.log(toMs / fromMs) / (toZ - fromZ);
  return Math.round(fromMs * Math.exp(slope * (z - fromZ)));
}

/** A number of the standard normal distribution (Box-Muller). */
function normal(random: () => number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return radius * Math.cos(2 * Math.PI * random());
}
