import { setMaxListeners } from 'node:events';
import { digest } from './derived';
import type { Grant } from './grant';
import type { AccountSettings, CallKind, ImitatedAccount, ImitatedProvider } from './imitated-provider';
import { createLatency } from './latency';
import { RowLocks } from './row-locks';

/** One account at an imitated provider: what it holds, its tokens, its settings, the calls it has in hand. */
export class Account {
  /** The most calls in flight at one moment. */
  peakInFlight = 0;
  readonly name: string;
  readonly provider: ImitatedProvider;
  readonly imitated: ImitatedAccount;
  readonly grant: Grant;
  readonly locks: RowLocks;
  settings: AccountSettings;
  private waits = newWaits();
  private readonly calls = new Set<{ readonly startedAtMs: number }>();
  private readonly latency: (settings: AccountSettings, kind: CallKind) => number;

  constructor(parts: Pick<Account, 'name' | 'provider' | 'imitated' | 'grant' | 'settings'>) {
    this.name = parts.name;
    this.provider = parts.provider;
    this.imitated = parts.imitated;
    this.grant = parts.grant;
    this.settings = parts.settings;
    const seed = digest(parts.name).readUInt32BE(0);
    this.latency = createLatency(seed);
    this.locks = new RowLocks(seed);
  }

  /** Calls that arrived and are not answered. */
  get inFlight(): number {
    return this.calls.size;
  }

  /** Aborted when whatever waits in this account must give up, without having any effect. */
  get waiting(): AbortSignal {
    return this.waits.signal;
  }

  /** How long the next call takes by itself. */
  latencyMs(kind: CallKind): number {
    return this.latency(this.settings, kind);
  }

  /** Takes a call in. @returns what lets it out again */
  enter(nowMs: number): () => void {
    const call = { startedAtMs: nowMs };
    this.calls.add(call);
    this.peakInFlight = Math.max(this.peakInFlight, this.inFlight);
    return () => void this.calls.delete(call);
  }

  /** Calls that have been under way for as long as the account's limits call long. */
  longCalls(nowMs: number): number {
    const { longAfterMs } = this.settings.limits;
    return [...this.calls].filter(({ startedAtMs }) => nowMs - startedAtMs >= longAfterMs).length;
  }

  /** Cuts the calls that wait: for latency, or because of a fault. */
  cutWaiting(): void {
    this.waits.abort();
    this.waits = newWaits();
  }

  /** Forgets records, used limits and the peak; keeps tokens and settings. */
  clear(): void {
    this.cutWaiting();
    this.imitated.clear();
    this.peakInFlight = this.inFlight;
  }
}

function newWaits(): AbortController {
  const waits = new AbortController();
  // One listener per waiting call; there may be thousands.
  setMaxListeners(0, waits.signal);
  return waits;
}
