import { setMaxListeners } from 'node:events';
import { digest } from './derived';
import type { Grant } from './grant';
import type { AccountSettings, ImitatedAccount, ImitatedProvider } from './imitated-provider';
import { createLatency } from './latency';

/** One account at an imitated provider: what it holds, its tokens, its settings, the calls it has in hand. */
export class Account {
  /** Calls that arrived and are not answered. */
  inFlight = 0;
  /** The most calls in flight at one moment. */
  peakInFlight = 0;
  readonly name: string;
  readonly provider: ImitatedProvider;
  readonly imitated: ImitatedAccount;
  readonly grant: Grant;
  settings: AccountSettings;
  private waits = newWaits();
  private readonly latency: (settings: AccountSettings) => number;

  constructor(parts: Pick<Account, 'name' | 'provider' | 'imitated' | 'grant' | 'settings'>) {
    this.name = parts.name;
    this.provider = parts.provider;
    this.imitated = parts.imitated;
    this.grant = parts.grant;
    this.settings = parts.settings;
    this.latency = createLatency(digest(parts.name).readUInt32BE(0));
  }

  /** Aborted when whatever waits in this account must give up, without having any effect. */
  get waiting(): AbortSignal {
    return this.waits.signal;
  }

  /** How long the next call takes by itself. */
  latencyMs(): number {
    return this.latency(this.settings);
  }

  enter(): void {
    this.inFlight += 1;
    this.peakInFlight = Math.max(this.peakInFlight, this.inFlight);
  }

  leave(): void {
    this.inFlight -= 1;
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
