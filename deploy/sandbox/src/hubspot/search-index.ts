import type { CrmRecord } from './crm-record';

interface PendingChange {
  readonly record: CrmRecord;
  readonly changedAt: number;
}

/**
 * What search sees: the records as they were `lagMs` ago. Reads by id and batch reads do not go through it.
 * Source: docs/contributing/providers.md, A5, index lag.
 */
export class SearchIndex {
  private readonly indexed = new Map<string, CrmRecord>();
  private pending: PendingChange[] = [];

  changed(record: CrmRecord, at: Date): void {
    this.pending.push({ record, changedAt: at.getTime() });
  }

  /** Records that search finds now, oldest first. */
  visible(now: Date, lagMs: number): Iterable<CrmRecord> {
    const settled = now.getTime() - lagMs;
    const later = this.pending.findIndex((change) => change.changedAt > settled);
    const due = later === -1 ? this.pending.length : later;
    for (const { record } of this.pending.slice(0, due)) {
      if (record.archivedAt) this.indexed.delete(record.id);
      else this.indexed.set(record.id, record);
    }
    this.pending = this.pending.slice(due);
    return this.indexed.values();
  }
}
