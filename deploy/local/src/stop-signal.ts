import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Thrown out of whatever was under way when the person asked to stop. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** 128 + the number of the signal, as a shell counts. */
  readonly exitCode: number;

  constructor(signal: (typeof signals)[number]) {
    super(`stopped by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Aborted, with an `Interrupted`, by the first signal to stop; a second one ends the process at once. */
export function listenForStop(): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) process.once(signal, () => controller.abort(new Interrupted(signal)));
  return controller.signal;
}

/** Resolves when the signal to stop comes. */
export function untilStopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // A promise alone keeps no process up.
    const alive = setInterval(() => undefined, 3_600_000);
    const end = () => {
      clearInterval(alive);
      resolve();
    };
    if (stop.aborted) end();
    else stop.addEventListener('abort', end, { once: true });
  });
}
