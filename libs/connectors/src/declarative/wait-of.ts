import { retryAfterMs } from '../retry-after';
import type { DeclaredWait } from './declaration';

const usual: readonly DeclaredWait[] = [{ header: 'retry-after', unit: 'secondsOrDate' }];

/** The longest wait that we take from a provider: a deadline is at most 48 h (specification, Limits). */
const waitMsMax = 48 * 3_600_000;

/** The first wait that a reply's headers state, in milliseconds; undefined where they state none. */
export function waitOf(
  headers: Readonly<Record<string, string>>,
  now: number,
  waits: readonly DeclaredWait[] = usual,
): number | undefined {
  for (const { header, unit } of waits) {
    const value = headers[header.toLowerCase()]?.trim();
    const wait = value === undefined ? undefined : toMs(value, unit, { headers, now });
    if (wait !== undefined && wait > 0) return Math.min(Math.ceil(wait), waitMsMax);
  }
  return undefined;
}

interface Moment {
  readonly headers: Readonly<Record<string, string>>;
  readonly now: number;
}

function toMs(value: string, unit: DeclaredWait['unit'], { headers, now }: Moment): number | undefined {
  // A date is read against the reply's own.
  if (unit === 'secondsOrDate') return retryAfterMs({ ...headers, 'retry-after': value }, now);
  if (!/^\d{1,16}(\.\d+)?$/.test(value)) return undefined;
  const number = Number(value);
  switch (unit) {
    case 'seconds':
      return number * 1_000;
    case 'milliseconds':
      return number;
    default: {
      const sentAt = Date.parse(headers['date'] ?? '');
      return number * (unit === 'epochSeconds' ? 1_000 : 1) - (Number.isNaN(sentAt) ? now : sentAt);
    }
  }
}
