import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, ExchangeLimits } from './http-exchange';

/** Before each further try, in milliseconds: three seconds together, in which a process that is replaced is back, or its address forgotten. */
const pausesMs = [50, 100, 200, 400, 800, 1_600];
/** No try begins later than this, in milliseconds: a name or a connection that hangs takes five seconds of it, and gets a second try. */
const beginsWithinMs = 6_000;

/**
 * Why a connection could not be made, where that passes by itself: nobody listens at this moment, no way leads there, the question for the name was
 * lost. A name that is not known, TLS that fails and an address that is refused stay what they are.
 */
const passing = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/**
 * Begins an exchange again while its connection cannot be made, for some seconds and within its own time limit. Only what is certainly not sent is
 * begun again, so nothing is ever sent twice.
 * @param exchange one try, with what is left of the limits
 */
export async function untilConnected(
  exchange: (limits: ExchangeLimits) => Promise<Exchange>,
  limits: ExchangeLimits,
): Promise<Exchange> {
  const begunAtMs = performance.now();
  const untilMs = Math.min(beginsWithinMs, limits.timeoutMs);
  let left = limits;
  for (let tries = 0; ; tries += 1) {
    const result = await exchange(left);
    const durationMs = performance.now() - begunAtMs;
    const pauseMs = pausesMs[tries];
    const isOver = pauseMs === undefined || durationMs + pauseMs >= untilMs;
    if (isOver || result.kind !== 'not-sent' || !passing.has(result.reason)) return { ...result, durationMs };
    // A cancelled pause is over; the next try then says that the call was cancelled.
    await sleep(pauseMs, undefined, limits.signal && { signal: limits.signal }).catch(() => undefined);
    // Whole milliseconds: a caller is told of them when nothing comes.
    left = { ...limits, timeoutMs: Math.max(1, Math.round(limits.timeoutMs - (performance.now() - begunAtMs))) };
  }
}
