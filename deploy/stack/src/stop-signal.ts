import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ends the running step when the person asks to stop. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** 128 + the number of the signal, as a shell counts. */
  readonly exitCode: number;

  constructor(signal: (typeof signals)[number]) {
    super(`stopped by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** A Ctrl-C this long after the first signal comes from a person who does not want to wait, in milliseconds. */
const impatienceMs = 1_000;

/**
 * Aborted, with an `Interrupted`, by the first signal to stop. Later ones change nothing, because one wish may arrive
 * more than once: from the process group, from npm, and from the bootstrap. Only a second Ctrl-C ends the process at once.
 */
export function listenForStop(): AbortSignal {
  const controller = new AbortController();
  let firstAtMs: number | undefined;
  const onSignal = (signal: (typeof signals)[number]) => {
    const interrupted = new Interrupted(signal);
    const isImpatient = firstAtMs !== undefined && performance.now() - firstAtMs > impatienceMs;
    if (isImpatient && signal === 'SIGINT') process.exit(interrupted.exitCode);
    firstAtMs ??= performance.now();
    controller.abort(interrupted);
  };
  for (const signal of signals) process.on(signal, onSignal);
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
