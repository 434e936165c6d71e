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

interface Held {
  readonly call: HeldCall;
  readonly controller: AbortController;
  leasedUntilMs: number;
}

/**
 * Renews the leases of all of a process's calls in one statement every 2 s. A call whose lease runs out by the monotonic
 * clock is aborted, so that a process that was paused does not send after its lease was taken.
 */
export class LeaseKeeper {
  private readonly held = new Map<string, Held>();
  private readonly timers = [
    setInterval(() => void this.renewAll(), renewEveryMs).unref(),
    setInterval(() => this.abortLapsed(), sendMarginMs).unref(),
  ];

  constructor(
    private readonly store: Pick<WriteStore, 'renewLeases'>,
    private readonly logger: Logger,
  ) {}

  /** @param claimedAtMs `performance.now()` from before the claim or the opening was sent to the database */
  hold(call: HeldCall, claimedAtMs: number): Hold {
    const { held } = this;
    const each: Held = { call, controller: new AbortController(), leasedUntilMs: claimedAtMs + leaseMs };
    held.set(callId(call), each);
    return {
      signal: each.controller.signal,
      mayStillSend: () => !each.controller.signal.aborted && performance.now() < each.leasedUntilMs - sendMarginMs,
      end: () => {
        if (held.get(callId(call)) === each) held.delete(callId(call));
      },
    };
  }

  /**
   * The same for a call that a caller waits for. Its lease may run out before all are renewed, because its opening took long on a busy database, so
   * it is renewed first. Otherwise it would end while the provider works, and its outcome would be unknown. A process that has taken it meanwhile
   * keeps it. Never rejects: without a renewal the hold has what was left.
   */
  async holdRenewed(call: HeldCall, claimedAtMs: number): Promise<Hold> {
    const calledAtMs = performance.now();
    const isShort = calledAtMs >= claimedAtMs + leaseMs - renewEveryMs - sendMarginMs;
    return this.hold(call, isShort && (await this.renew([call])).has(callId(call)) ? calledAtMs : claimedAtMs);
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private async renewAll(): Promise<void> {
    if (this.held.size === 0) return;
    const startedAtMs = performance.now();
    const renewed = await this.renew([...this.held.values()].map(({ call }) => call));
    for (const [id, each] of this.held) if (renewed.has(id)) each.leasedUntilMs = startedAtMs + leaseMs;
  }

  /** @returns the calls that were renewed: none where the database does not answer */
  private async renew(calls: readonly HeldCall[]): Promise<ReadonlySet<string>> {
    try {
      return await this.store.renewLeases(calls, leaseMs);
    } catch (error) {
      this.logger.warn({ error, calls: calls.length }, 'leases.not-renewed');
      return new Set();
    }
  }

  private abortLapsed(): void {
    for (const [id, each] of this.held) {
      if (performance.now() < each.leasedUntilMs) continue;
      this.held.delete(id);
      each.controller.abort(new Error('the lease of the call has run out'));
    }
  }
}
