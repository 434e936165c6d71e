import type { DailyUsage } from '../daily-usage';
import type { ObservedQuota } from '../requests';

/** Rate headers are on every reply but search's. Source: HubSpot developer documentation, "API usage guidelines". */
const limitHeader = 'x-hubspot-ratelimit-max';
const windowHeader = 'x-hubspot-ratelimit-interval-milliseconds';
/** Not sent to OAuth apps. Source: reference A8. */
const dailyHeader = 'x-hubspot-ratelimit-daily';
const dailyLeftHeader = 'x-hubspot-ratelimit-daily-remaining';

/** What a reply says of the account's burst limit; undefined when it says nothing usable. */
export function quotaOf(headers: Readonly<Record<string, string>>): ObservedQuota | undefined {
  const limit = Number(headers[limitHeader]);
  const windowMs = Number(headers[windowHeader]);
  const isUsable = Number.isSafeInteger(limit) && limit > 0 && Number.isSafeInteger(windowMs) && windowMs > 0;
  return isUsable ? { limit, windowMs } : undefined;
}

/** What a reply says of the account's day; undefined when it says nothing usable. */
export function dailyUsageOf(headers: Readonly<Record<string, string>>): DailyUsage | undefined {
  const [limit, left] = [headers[dailyHeader], headers[dailyLeftHeader]].map((text) =>
    text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined,
  );
  return limit && left !== undefined && left <= limit ? { used: limit - left, limit } : undefined;
}
