import { randomUUID } from 'node:crypto';
import type { CallLimits } from '../control/imitated-provider';
import { HubspotError } from './wire-reply';

/** An OAuth app's, in a Professional account. Source: docs/contributing/providers.md, A8. */
export const defaultRateLimits: CallLimits = {
  perTenSeconds: 110,
  searchesPerSecond: 5,
  perDay: 625_000,
  countRefused: false,
  concurrentLong: 0,
  longAfterMs: 20_000,
};

const TEN_SECONDS_MS = 10_000;
const DAY_MS = 86_400_000;

type Policy = 'TEN_SECONDLY_ROLLING' | 'SECONDLY' | 'DAILY';

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

  add(now: number): void {
    this.moments.push(now);
  }
}

/** Counts the calls of one account and refuses those over its limits, in HubSpot's words. */
export class RateLimiter {
  private readonly tenSeconds = new SlidingWindow(TEN_SECONDS_MS);
  private readonly second = new SlidingWindow(1000);
  private day = 0;
  private usedToday = 0;

  constructor(private readonly portalId: number) {}

  /**
   * Takes one call into account.
   * @throws HubspotError 429 when it is over a limit
   */
  admit(kind: 'search' | 'other', limits: CallLimits, at: Date): void {
    const now = at.getTime();
    if (kind === 'search') {
      this.check(
        this.second,
        { limit: limits.searchesPerSecond, policy: 'SECONDLY', countRefused: limits.countRefused },
        now,
      );
      return;
    }
    this.startDay(now);
    if (limits.perDay > 0 && this.usedToday >= limits.perDay)
      throw this.refusal('DAILY', this.headers(kind, limits, at));
    const { perTenSeconds: limit, countRefused } = limits;
    this.check(this.tenSeconds, { limit, policy: 'TEN_SECONDLY_ROLLING', countRefused }, now, () =>
      this.headers(kind, limits, at),
    );
    this.usedToday += 1;
  }

  /** The rate headers of a reply; none for a search, as documented. */
  headers(kind: 'search' | 'other', limits: CallLimits, at: Date): Record<string, string> {
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

  private check(
    window: SlidingWindow,
    rule: { limit: number; policy: Policy; countRefused: boolean },
    now: number,
    headers: () => Record<string, string> = () => ({}),
  ): void {
    if (rule.limit === 0) return;
    const isOver = window.used(now) >= rule.limit;
    if (!isOver || rule.countRefused) window.add(now);
    if (isOver) throw this.refusal(rule.policy, headers());
  }

  private startDay(now: number): void {
    const day = Math.floor(now / DAY_MS);
    if (day !== this.day) this.usedToday = 0;
    this.day = day;
  }

  private refusal(policy: Policy, headers: Record<string, string>): HubspotError {
    return new HubspotError(429, rateLimitFields(policy, this.portalId), headers);
  }
}

/** The 429 body of a limit. HubSpot sends no `Retry-After` with it. */
export function rateLimitFields(policy: Policy, portalId: number) {
  return {
    message: `You have reached your ${policy.toLowerCase()} limit.`,
    extra: {
      errorType: 'RATE_LIMIT',
      policyName: policy,
      // Search has a limit, and so a group, of its own.
      groupName: `publicapi:${policy === 'SECONDLY' ? 'crm:search' : `private-app-api-calls-${policy.toLowerCase()}`}:${portalId}`,
      requestId: randomUUID(),
    },
  };
}
