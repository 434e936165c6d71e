import type { Socket } from 'node:net';
import { DependencyError } from '@sluice/errors';
import type { Logger } from '@sluice/telemetry';

/*
 * A database that is hung keeps its connections open and answers nothing. Whether a statement that takes long is slow or will never be answered is found out
 * by a probe on a connection of its own: a database that waits for a lock or reads a large table answers the probe. A false alarm would fail requests for
 * nothing, so whatever any connection receives is a sign of life, and time in which this process itself was stalled does not count: the clock starts again.
 */

/** A probe goes out after so much silence. */
const silenceMs = 400;
/** A database that has not answered the probe after so long is hung. With `silenceMs` and two ticks it leaves 0.7 s of the 3 s in which a request is answered. */
const unansweredMs = 1_700;
const tickMs = 100;
/** A turn of the event loop that comes so late was stalled: answers may lie unread, and the database may have been stalled with us. */
const lateMs = 250;

/** A connection of its own. */
export interface Probe {
  /** Connects if it is not connected, and has a statement answered. @throws when no answer will come: the connection was refused, or broke off */
  ask(): Promise<void>;
  /** Closes the connection; the next question opens another. */
  drop(): void;
}

export interface SilenceWatchOptions {
  readonly probe: Probe;
  readonly logger?: Logger | undefined;
}

export interface SilenceWatch {
  start(): void;
  stop(): void;
  /** Takes what this connection receives for a sign of life, and breaks it off when the database is silent. */
  readonly attend: (stream: Socket) => void;
  readonly isSilent: () => boolean;
  /** Waits for a connection, no longer than until the database is silent. One that comes later is given to `release`. */
  connected<T>(acquire: () => Promise<T>, release: (connection: T) => Promise<unknown>): Promise<T>;
}

/** Before anything is sent, so the same request may be made again. */
const silent = () =>
  new DependencyError({ code: 'service.unavailable', detail: 'The database does not answer.', retryAfterMs: 2_000 });

export function createSilenceWatch({ probe, logger }: SilenceWatchOptions): SilenceWatch {
  let timer: NodeJS.Timeout | undefined;
  let tickedAtMs = 0;
  let heardAtMs = 0;
  let askedAtMs: number | undefined;
  let isSilent = false;
  let question = 0;
  const waiting = new Set<() => void>();
  const streams = new Set<Socket>();

  const heard = (): void => {
    heardAtMs = performance.now();
    if (!isSilent) return;
    isSilent = false;
    logger?.info({}, 'database.answers');
  };
  const ask = (): void => {
    question += 1;
    const mine = question;
    askedAtMs = performance.now();
    // One that is refused or broken off is no silence: statements learn of it by themselves.
    const answered = (): void => {
      if (mine !== question) return;
      askedAtMs = undefined;
      heard();
    };
    probe.ask().then(answered, answered);
  };
  const giveUp = (): void => {
    if (!isSilent) logger?.warn({ reason: `no answer within ${unansweredMs} ms` }, 'database.silent');
    isSilent = true;
    probe.drop();
    // Each statement fails as one whose outcome is not known: the database may run it yet.
    for (const stream of streams) stream.destroy(new Error('Connection terminated: the server is silent'));
    for (const fail of waiting) fail();
    waiting.clear();
    ask();
  };
  const tick = (): void => {
    const nowMs = performance.now();
    const isLate = nowMs - tickedAtMs > tickMs + lateMs;
    tickedAtMs = nowMs;
    if (isLate && askedAtMs !== undefined) askedAtMs = nowMs;
    if (askedAtMs === undefined) {
      if (nowMs - heardAtMs >= silenceMs) ask();
    } else if (nowMs - Math.max(askedAtMs, heardAtMs) >= unansweredMs) giveUp();
  };
  return {
    start: () => {
      if (timer !== undefined) return;
      tickedAtMs = heardAtMs = performance.now();
      timer = setInterval(tick, tickMs).unref();
    },
    stop: () => {
      clearInterval(timer);
      question += 1;
      probe.drop();
    },
    attend: (stream) => {
      streams.add(stream.on('data', heard).on('close', () => streams.delete(stream)));
    },
    isSilent: () => isSilent,
    connected: async (acquire, release) => {
      if (isSilent) throw silent();
      return await orGivenUp(acquire(), release, waiting);
    },
  };
}

/** @param waiting what gives each wait up, while it lasts */
function orGivenUp<T>(
  acquiring: Promise<T>,
  release: (connection: T) => Promise<unknown>,
  waiting: Set<() => void>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(silent());
      acquiring.then(release, () => undefined);
    };
    waiting.add(giveUp);
    acquiring.finally(() => waiting.delete(giveUp)).then(resolve, reject);
  });
}
