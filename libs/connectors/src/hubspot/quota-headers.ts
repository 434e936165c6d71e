import type { ObservedQuota } from '../requests';

/** Rate headers are on every reply but search's. Source: HubSpot developer documentation, "API usage guidelines". */
const limitHeader = 'x-hubspot-ratelimit-max';
const windowHeader = 'x-hubspot-ratelimit-interval-milliseconds';

/** What a reply says of the account's burst limit; undefined when it says nothing usable. */
export function quotaOf(headers: Readonly<Record<string, string>>): ObservedQuota | undefined {
  const limit = Number(headers[limitHeader]);
  const windowMs = Number(headers[windowHeader]);
  const isUsable = Number.isSafeInteger(limit) && limit > 0 && Number.isSafeInteger(windowMs) && windowMs > 0;
  return isUsable ? { limit, windowMs } : undefined;
}
