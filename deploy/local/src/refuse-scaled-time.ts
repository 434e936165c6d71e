import { ConfigError } from '@sluice/config';
import type { LocalSettings } from '@sluice/stack';

/** What a tour or a real account shows must be what a customer would see: a minute is a minute. */
export function refuseScaledTime({ timeScale }: LocalSettings): void {
  if (timeScale === 1) return;
  const rule = 'must be left out here: time is never scaled; npm run dev takes it';
  throw new ConfigError([{ name: 'SLUICE_TIME_SCALE', rule, value: String(timeScale) }]);
}
