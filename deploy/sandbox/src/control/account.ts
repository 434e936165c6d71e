import { setMaxListeners } from 'node:events';
import { ContactsStore } from '../hubspot/contacts-store';
import { defaultRateLimits, RateLimiter, type RateLimits } from '../hubspot/rate-limit';
import type { RecordIds } from '../hubspot/record-ids';

/** What can be set per account, at its creation and later. */
export interface AccountSettings {
  /** Added to every HubSpot call, before anything of it takes effect. @default 0 */
  readonly latencyMs: number;
  /** How long search takes to see a write. @default the sandbox's own default */
  readonly searchLagMs: number;
  readonly limits: RateLimits;
}

export const defaultSettings: AccountSettings = { latencyMs: 0, searchLagMs: 0, limits: defaultRateLimits };

/** One imitated HubSpot portal: its tokens, its contacts, its limits. */
export class Account {
  contacts: ContactsStore;
  limiter: RateLimiter;
  /** Calls that arrived and are not answered. */
  inFlight = 0;
  /** The most calls in flight at one moment. */
  peakInFlight = 0;
  readonly tokens = new Set<string>();
  private waits = newWaits();
  settings: AccountSettings;

  constructor(
    readonly name: string,
    readonly portalId: number,
    settings: AccountSettings,
    private readonly ids: RecordIds,
  ) {
    this.settings = settings;
    this.contacts = new ContactsStore(ids);
    this.limiter = new RateLimiter(portalId);
  }

  get searchLagMs(): number {
    return this.settings.searchLagMs;
  }

  /** Aborted when whatever waits in this account must give up, without having any effect. */
  get waiting(): AbortSignal {
    return this.waits.signal;
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

  /** Forgets contacts, used limits and the peak; keeps tokens and settings. Ids are never given twice. */
  clear(): void {
    this.cutWaiting();
    this.contacts = new ContactsStore(this.ids);
    this.limiter = new RateLimiter(this.portalId);
    this.peakInFlight = this.inFlight;
  }
}

function newWaits(): AbortController {
  const waits = new AbortController();
  // One listener per waiting call; there may be thousands.
  setMaxListeners(0, waits.signal);
  return waits;
}
