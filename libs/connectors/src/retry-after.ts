/** The longest wait that we take from a provider: a deadline is at most 48 h (specification, Limits). */
const waitMsMax = 48 * 3_600_000;

/**
 * The header's wait in milliseconds: seconds, or an HTTP date. A date is read against the reply's own `Date`, so
 * that a wrong clock on either side does not matter. Absent, in the past or unreadable: undefined.
 * Source: RFC 9110, section 10.2.3.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = headers['retry-after']?.trim();
  if (!value) return undefined;
  const wait = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : untilDate(value, headers['date'], now);
  return Number.isFinite(wait) && wait > 0 ? Math.min(Math.ceil(wait), waitMsMax) : undefined;
}

function untilDate(value: string, date: string | undefined, now: number): number {
  const sentAt = date === undefined ? Number.NaN : Date.parse(date);
  return Date.parse(value) - (Number.isNaN(sentAt) ? now : sentAt);
}
