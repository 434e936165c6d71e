/** The outcome of one call to a provider. Entries are added when it is decided and never changed. */
export interface LedgerEntry {
  /** 1, 2, 3 … in the order in which calls took effect. */
  readonly seq: number;
  /** When the call arrived, ISO 8601. */
  readonly at: string;
  /** `hubspot` or `salesforce`, by the path. */
  readonly provider: string;
  /** Name of the account; null when the token selects none. */
  readonly account: string | null;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** What the call is: `create`, `update`, `read`, `batch-create`, … `unknown` for a path that the provider does not have. */
  readonly action: string;
  /** Status that was sent; 0 when the caller received none (reset, time-out, or it had left). */
  readonly status: number;
  /** Records the call carried: the inputs of a batch, 1 for a single write or read, 0 for a search and the rest. */
  readonly records: number;
  /** Records the call really wrote, also when the reply claimed otherwise. */
  readonly applied: number;
  /** Ids of those records, in the order of writing. */
  readonly recordIds: readonly string[];
  /** Marker of each record the call carried, in its order; `''` for one without. Absent when none has one. */
  readonly carried?: readonly string[];
  /** Marker of each record the call really wrote, beside `recordIds`; `''` where the call did not set it. */
  readonly markers?: readonly string[];
  /** Identifies the access token without revealing it: the first 12 hex digits of its SHA-256. */
  readonly token?: string;
  /** Headers that the caller chose, where they have a meaning at the provider. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Kind of the fault that hit the call, or `caller-gone`. */
  readonly fault?: string;
  /** From arrival to the decision, in milliseconds. */
  readonly tookMs: number;
}

/** Which entries to list. */
export interface LedgerFilter {
  readonly account?: string | undefined;
  /** A sequence number (later entries only) or a moment (calls that arrived then or later). */
  readonly since?: number | Date | undefined;
}

/** Every provider call a sandbox received, append-only. */
export class Ledger {
  private entries: LedgerEntry[] = [];
  private seq = 0;

  append(entry: Omit<LedgerEntry, 'seq'>): LedgerEntry {
    this.seq += 1;
    const kept = { seq: this.seq, ...entry };
    this.entries.push(kept);
    return kept;
  }

  list(filter: LedgerFilter = {}): readonly LedgerEntry[] {
    return this.entries.filter(
      (entry) => (filter.account === undefined || entry.account === filter.account) && isSince(entry, filter.since),
    );
  }

  /** Restores an entry of a journal. */
  restore(entry: LedgerEntry): void {
    this.entries.push(entry);
    this.seq = Math.max(this.seq, entry.seq);
  }

  /** Removes entries; sequence numbers continue. */
  clear(account?: string): void {
    this.entries = account === undefined ? [] : this.entries.filter((entry) => entry.account !== account);
  }
}

function isSince(entry: LedgerEntry, since: number | Date | undefined): boolean {
  if (since === undefined) return true;
  return typeof since === 'number' ? entry.seq > since : entry.at >= since.toISOString();
}
