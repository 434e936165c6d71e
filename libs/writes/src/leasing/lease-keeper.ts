import type { HeldCall, WriteStore } from '@sluice/store';
import { callId } from '@sluice/store';
import type { Logger } from '@sluice/telemetry';

/** Lease of a claimed call, and how often a process renews all of its leases. */
export const leaseMs = 6_000;
const renewEveryMs = 2_000;
/** With less than this left of its lease a call is not sent: the bytes must leave before it ends. */
const sendMarginMs = 250;

/** The right to send and settle one call, as long as it is renewed. */
export interface Hold {
  /** Aborted when the lease could not be renewed in time. */
  readonly signal: AbortSignal;
  /** Whether bytes may leave now, by the monotonic clock. */
  mayStillSend(): boolean;
  /** Ends the renewal. */
  end(): void;
}

export interface LeaseKeeper {
  /** @param claimedAtMs `performance.now()` from before the claim or the opening was sent to the database */
  hold(call: HeldCall, claimedAtMs: number): Hold;
  /**
   * The same for a call that a caller waits for. Its lease may run out before all are renewed, because its opening took long on a busy database, so
   * it is renewed first. Otherwise it would end while the provider works, and its outcome would be unknown. A process that has taken it meanwhile
   * keeps it. Never rejects: without a renewal the hold has what was left.
   */
  holdRenewed(call: HeldCall, claimedAtMs: number): Promise<Hold>;
  stop(): void;
}

interface Held {
  readonly call: HeldCall;
  readonly controller: AbortController;
  leasedUntilMs: number;
}

/**
 * Renews the leases of all of a process's calls in one statement every 2 s. A call whose lease runs out by the monotonic
 * clock is aborted, so that a process that was paused does not send after its lease was taken.
 */
export function createLeaseKeeper(store: Pick<WriteStore, 'renewLeases'>, logger: Logger): LeaseKeeper {
  const held = new Map<string, Held>();

  const renewOne = async (call: HeldCall): Promise<boolean> => {
    try {
      return (await store.renewLeases([call], leaseMs)).has(callId(call));
    } catch (error) {
      logger.warn({ error, calls: 1 }, 'leases.not-renewed');
      return false;
    }
  };
  const renewAll = async (): Promise<void> => {
    const startedAtMs = performance.now();
    const calls = [...held.values()].map(({ call }) => call);
    if (calls.length === 0) return;
    try {
      const renewed = await store.renewLeases(calls, leaseMs);
      for (const [id, each] of held) if (renewed.has(id)) each.leasedUntilMs = startedAtMs + leaseMs;
    } catch (error) {
      logger.warn({ error, calls: calls.length }, 'leases.not-renewed');
    }
  };
  const abortLapsed = (): void => {
    for (const [id, each] of held) {
      if (performance.now() < each.leasedUntilMs) continue;
      held.delete(id);
      each.controller.abort(new Error('the lease of the call has run out'));
    }
  };
  const renewing = setInterval(() => void renewAll(), renewEveryMs).unref();
  const watching = setInterval(abortLapsed, sendMarginMs).unref();

  const hold: LeaseKeeper['hold'] = (call, claimedAtMs) => {
    const each: Held = { call, controller: new AbortController(), leasedUntilMs: claimedAtMs + leaseMs };
    held.set(callId(call), each);
    return {
      signal: each.controller.signal,
      mayStillSend: () => !each.controller.signal.aborted && performance.now() < each.leasedUntilMs - sendMarginMs,
      end: () => {
        if (held.get(callId(call)) === each) held.delete(callId(call));
      },
    };
  };
  return {
    hold,
    holdRenewed: async (call, claimedAtMs) => {
      const calledAtMs = performance.now();
      const isShort = calledAtMs >= claimedAtMs + leaseMs - renewEveryMs - sendMarginMs;
      return hold(call, isShort && (await renewOne(call)) ? calledAtMs : claimedAtMs);
    },
    stop: () => {
      clearInterval(renewing);
      clearInterval(watching);
    },
  };
}
