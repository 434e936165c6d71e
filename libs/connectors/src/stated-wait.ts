import { type HttpReply, isJson, listOf, type Json } from './http-client';

type Headers = Readonly<Record<string, string>>;

/** The longest wait that we take from a provider: a deadline is at most 48 h (specification, Limits). */
const waitMsMax = 48 * 3_600_000;

/** Larger numbers are moments: no provider is known to ask for a wait of 31 years, nor for one of a clock before 1973. [own] */
const epochSecondsMin = 1e9;
const epochMsMin = 1e11;

/**
 * The wait in `Retry-After`, in milliseconds: seconds, also with decimals or a unit, a date of HTTP or ISO 8601, or the seconds or milliseconds of an epoch. A moment
 * is read against the reply's own `Date`, so that a wrong clock on either side does not matter. Of several values the longest. Absent, in the past or
 * unreadable: undefined. Source: RFC 9110, section 10.2.3; the other forms are what providers are reported to send (msgraph-sdk-python#1159: `30,120`).
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const { 'retry-after': text = headers['x-retry-after'], 'retry-after-ms': ms } = headers;
  return waitOfText(text, headers, now) ?? waitOfText(ms && `${ms}ms`, headers, now);
}

/** A wait in one of the forms above. */
export function waitOfText(text: string | undefined, headers: Headers, now: number): number | undefined {
  const clock = clockOf(headers, now);
  // A comma of a date stands before its day.
  const waits = (text ?? '').split(/,(?! ?\d\d[ -][A-Z])/).flatMap((value) => waitOfOne(value.trim(), clock) ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** When a reply was sent. */
export function clockOf({ date }: Headers, now: number): number {
  const sentAt = Date.parse(date ?? '');
  return Number.isNaN(sentAt) ? now : sentAt;
}

function waitOfOne(value: string, clock: number): number | undefined {
  const [, count, unit = ''] = amount.exec(value) ?? [];
  return bounded(count === undefined ? dateOf(value) - clock : waitOfNumber(Number(count), unit, clock));
}

function waitOfNumber(value: number, unit: string, clock: number): number {
  if (value >= epochMsMin) return value - clock;
  return value >= epochSecondsMin ? value * 1_000 - clock : value * msIn(unit.toLowerCase());
}

/** Of a text that begins as a date does: `Date.parse` finds years in many others. One without a zone is of UTC, as all dates of HTTP are. */
function dateOf(value: string): number {
  if (!/^(?:[A-Z][a-z]{2,8},? |\d{4}-\d{2}-\d{2})/.test(value)) return Number.NaN;
  return Date.parse(/(?:Z|GMT|UTC|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`);
}

function bounded(waitMs: number): number | undefined {
  return Number.isFinite(waitMs) && waitMs > 0 ? Math.min(Math.ceil(waitMs), waitMsMax) : undefined;
}

const units = 'ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?';
const amount = new RegExp(`^"?\\+?(\\d{1,16}(?:\\.\\d+)?)"? ?(${units})?$`, 'i');
/** Headers that say when a limit begins anew, of a reply that reports the limit as met. */
const resets = ['ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset', 'x-ratelimit-reset-after'];
/** `limit=40, remaining=0, reset=1` of Close, `total=100; remaining=0; resets=41` of Zendesk, `"burst";r=0;t=5` of the IETF's draft. */
const structured = /\b(?:remaining|r)=0[,;]\s*(?:resets?|t)=(\d+(?:\.\d+)?)/;
const members = ['retry_after', 'retryAfter', 'retry_after_seconds', 'rate_reset'];
/** `Expected available in 1 second.` of Klaviyo. */
const sentence = new RegExp(`\\b(?:in|after|for|wait) (\\d+(?:\\.\\d+)? ?(?:${units}))\\b`, 'i');

/**
 * The wait that a reply states, in milliseconds: `Retry-After`, and of a 429 also the reset of the limit in another header or in the body.
 * Undefined: it states none.
 */
export function statedWaitMs(reply: HttpReply | undefined, now: number): number | undefined {
  if (reply === undefined) return undefined;
  const { headers, status, json } = reply;
  const stated = retryAfterMs(headers, now);
  if (stated !== undefined || status !== 429) return stated;
  const ofLimit = Object.entries(headers).filter(([name]) => name.includes('ratelimit'));
  const values = [
    ...resets.map((name) => headers[name]),
    ...ofLimit.map(([, value]) => structured.exec(value)?.[1]),
    ...(isJson(json) ? inBody(json) : []),
  ];
  for (const value of values) {
    const wait = waitOfText(value, headers, now);
    if (wait !== undefined) return wait;
  }
  return undefined;
}

/** Seconds, or another form of a wait, at the top of a body or in its error. */
function inBody(body: Json): string[] {
  const errors = [body, body['error'], body['parameters'], listOf(body['errors'])[0]].filter(isJson);
  const named = errors.flatMap((error) => members.map((name) => error[name]));
  const said = errors
    .flatMap((error) => Object.values(error))
    .flatMap((text) => (typeof text === 'string' ? (sentence.exec(text)?.[1] ?? []) : []));
  return [...named, ...said].filter((value) => typeof value === 'number' || typeof value === 'string').map(String);
}

function msIn(unit: string): number {
  if (unit.startsWith('ms') || unit.startsWith('mil')) return 1;
  if (unit.startsWith('m')) return 60_000;
  return unit.startsWith('h') ? 3_600_000 : 1_000;
}
