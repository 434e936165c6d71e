import type { DailyUsage } from '../daily-usage';

/**
 * What `Sforce-Limit-Info: api-usage=10018/100000` says; undefined when it says nothing usable. It is a daily total
 * that the customer's other apps use up too, not a burst limit, so it is measured and never counted as a window:
 * a bucket of 24 hours would hold back writes by our own count alone, and a fifth of a day for nobody.
 * Source: reference B6, B7.
 */
export function usageOf(headers: Readonly<Record<string, string>>): DailyUsage | undefined {
  const found = /(?:^|[\s;])api-usage=(\d{1,12})\/(\d{1,12})/.exec(headers['sforce-limit-info'] ?? '');
  const [used, limit] = [Number(found?.[1]), Number(found?.[2])];
  return found && limit > 0 ? { used, limit } : undefined;
}
