import type { LoadResult, LoadSpec } from './generate-load';
import { percentile } from './statistics';

/** How long the last replies may take after the end, in milliseconds. */
const drainMs = 60_000;

/** A connection of the generator: one request at a time. */
export interface Line {
  /** Sends the next request. @param dueAtMs when it should have left */
  send(dueAtMs: number): void;
  close(): void;
}

/** When requests leave, and what became of them. */
export interface LoadRun {
  readonly ended: Promise<void>;
  begin(lines: readonly Line[]): void;
  replied(line: Line, status: number, startedAtMs: number, text: () => string): void;
  broken(error: Error): void;
  result(): LoadResult;
}

/** @param random of an open loop with random arrivals: from 0 on, below 1 */
export function createLoadRun(spec: LoadSpec, random: () => number = Math.random): LoadRun {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { count = Infinity, durationMs = Infinity, perSecond, arrivals = 'even' } = spec;
  const tally = createTally();
  const idle: Line[] = [];
  const due: number[] = [];
  const gapMs = (): number => (1_000 / (perSecond ?? NaN)) * (arrivals === 'even' ? 1 : -Math.log(1 - random()));
  let [startedAtMs, elapsedMs, sent, nextAtMs] = [0, 0, 0, 0];
  let isOver = false;
  let ticker: NodeJS.Timeout | undefined;
  const mayStart = (): boolean => !isOver && sent < count && performance.now() - startedAtMs < durationMs;
  const start = (line: Line, dueAtMs: number): void => {
    sent += 1;
    line.send(dueAtMs);
  };
  const finishWhenDone = (): void => {
    if (mayStart() || due.length > 0 || tally.answered() < sent) return;
    isOver = true;
    elapsedMs = performance.now() - startedAtMs;
    clearInterval(ticker);
    resolve();
  };
  const next = (line: Line): void => {
    const waiting = due.shift();
    if (waiting !== undefined) start(line, waiting);
    else if (perSecond === undefined && mayStart()) start(line, performance.now());
    else idle.push(line);
    finishWhenDone();
  };
  /** What has become due since the last tick counts from this tick: the clock's grain is not the server's. */
  const tick = (): void => {
    const nowMs = performance.now();
    const untilMs = Math.min(nowMs, startedAtMs + durationMs);
    for (; nextAtMs <= untilMs && sent + due.length < count; nextAtMs += gapMs()) {
      // The one that rested longest: a server closes what it hears nothing from.
      const line = idle.shift();
      if (line === undefined) due.push(nowMs);
      else start(line, nowMs);
    }
    finishWhenDone();
  };
  return {
    ended: promise,
    begin: (lines) => {
      startedAtMs = performance.now();
      nextAtMs = startedAtMs + gapMs();
      for (const line of lines) next(line);
      if (perSecond !== undefined) ticker = setInterval(tick, 1);
      if (durationMs === Infinity) return;
      setTimeout(() => isOver || reject(new Error('replies are missing')), durationMs + drainMs).unref();
    },
    replied: (line, status, sentAtMs, text) => {
      tally.count(status, performance.now() - sentAtMs, text);
      next(line);
    },
    broken: (error) => isOver || reject(error),
    result: () => tally.result(elapsedMs),
  };
}

/** Replies so far, and what they took. */
function createTally() {
  const latencies: number[] = [];
  let refused = 0;
  let firstRefusal: string | undefined;
  return {
    answered: () => latencies.length + refused,
    count: (status: number, tookMs: number, text: () => string): void => {
      if (status >= 200 && status < 300) {
        latencies.push(tookMs);
        return;
      }
      refused += 1;
      firstRefusal ??= text();
    },
    result: (elapsedMs: number): LoadResult => ({
      replies: latencies.length,
      refused,
      ...(firstRefusal !== undefined && { firstRefusal }),
      elapsedMs,
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
      maxMs: percentile(latencies, 1),
    }),
  };
}
