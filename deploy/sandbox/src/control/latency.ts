import type { AccountSettings } from './imitated-provider';
import { seededRandom } from './seeded-random';

/** Quantile of the standard normal distribution at 95 %. */
const Z95 = 1.6449;

/**
 * How long each next call of an account takes by itself: always `latencyMs`, or log-normal around it when `latencyP95Ms` is
 * set. The same sequence for the same seed.
 */
export function createLatency(seed: number): (settings: AccountSettings) => number {
  const random = seededRandom(seed);
  return ({ latencyMs, latencyP95Ms }) => {
    if (latencyP95Ms <= latencyMs || latencyMs === 0) return latencyMs;
    const sigma = Math.log(latencyP95Ms / latencyMs) / Z95;
    return Math.round(latencyMs * Math.exp(sigma * normal(random)));
  };
}

/** A number of the standard normal distribution (Box-Muller). */
function normal(random: () => number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return radius * Math.cos(2 * Math.PI * random());
}
