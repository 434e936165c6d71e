import type { CallLimits } from '../control/imitated-provider';
import { overLimit, type HubspotError } from './errors';

/** An OAuth app's, in a Professional account. Source: docs/contributing/providers.md, A8. */
export const defaultRateLimits = { perTenSeconds: 110, searchesPerSecond: 5, perDay: 625_000 };

/** The limits that HubSpot has. */
type Limits = Pick<CallLimits, keyof typeof defaultRateLimits>;

const TEN_SECONDS_MS = 10_000;
const DAY_MS = 86_400_000;

/** Calls in a window that slides with time. */
class SlidingWindow {
  private moments: number[] = [];

  constructor(private readonly lengthMs: number) {}

  used(now: number): number {
    const oldest = now - this.lengthMs;
    const firstInside = this.moments.findIndex((moment) => moment > oldest);
    this.moments = firstInside === -1 ? [] : this.moments.slice(firstInside);
    return this.moments.length;
  }

  /** Counts a call that is not refused. @returns whether it is over the limit; 0 is no limit */
  isOver(now: number, limit: number): boolean {
    if (limit === 0) return false;
    const isOver = this.used(now) >= limit;
    if (!isOver) this.moments.push(now);
    return isOver;
  }
}

/** Counts the calls of one account and refuses those over its limits, in HubSpot's form. */
export class RateLimiter {
  private readonly tenSeconds = new SlidingWindow(TEN_SECONDS_MS);
  private readonly second = new SlidingWindow(1000);
  private day = 0;
  private usedToday = 0;

  constructor(private readonly portalId: number) {}

  /** Counts one call. @returns the 429 of a call that is over a limit */
  admit(kind: 'search' | 'other', limits: Limits, at: Date): HubspotError | undefined {
    const now = at.getTime();
    const { portalId } = this;
    if (kind === 'search') {
      const isOver = this.second.isOver(now, limits.searchesPerSecond);
      return isOver ? overLimit('SECONDLY', portalId) : undefined;
    }
    this.startDay(now);
    if (limits.perDay > 0 && this.usedToday >= limits.perDay) {
      return overLimit('DAILY', portalId, this.headers(kind, limits, at));
    }
    if (this.tenSeconds.isOver(now, limits.perTenSeconds)) {
      return overLimit('TEN_SECONDLY_ROLLING', portalId, this.headers(kind, limits, at));
    }
    this.usedToday += 1;
    return undefined;
  }

  /** The rate headers of a reply; none for a search, as documented. */
  headers(kind: 'search' | 'other', limits: Limits, at: Date): Record<string, string> {
    if (kind === 'search') return {};
    const remaining = (limit: number, used: number): string => String(Math.max(0, limit - used));
    const rolling = {
      'X-HubSpot-RateLimit-Max': String(limits.perTenSeconds),
      'X-HubSpot-RateLimit-Remaining': remaining(limits.perTenSeconds, this.tenSeconds.used(at.getTime())),
      'X-HubSpot-RateLimit-Interval-Milliseconds': String(TEN_SECONDS_MS),
    };
    const daily = {
      'X-HubSpot-RateLimit-Daily': String(limits.perDay),
      'X-HubSpot-RateLimit-Daily-Remaining': remaining(limits.perDay, this.usedToday),
    };
    return { ...(limits.perTenSeconds > 0 ? rolling : {}), ...(limits.perDay > 0 ? daily : {}) };
  }

  private startDay(now: number): void {
    const day = Math.floor(now / DAY_MS);
    if (day !== this.day) this.usedToday = 0;
    this.day = day;
  }
}
