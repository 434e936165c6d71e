import { setTimeout as delay } from 'node:timers/promises';

/** What a certification knows of time: a replay has a clock of its own, on which waiting takes none. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** @throws the signal's reason when it is aborted meanwhile */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export const machineClock: Clock = {
  nowMs: () => Date.now(),
  wait: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
};

/** Begins now, and is put forward by what is waited. */
export function createReplayClock(): Clock {
  let aheadMs = 0;
  return {
    nowMs: () => Date.now() + aheadMs,
    wait: (ms) => {
      aheadMs += ms;
      return Promise.resolve();
    },
  };
}
