import type { Contact } from './contact';

interface PendingChange {
  readonly contact: Contact;
  readonly changedAt: number;
}

/**
 * What search sees: the contacts as they were `lagMs` ago. Reads by id and batch reads do not go through it.
 * Source: providers.md A5, index lag.
 */
export class SearchIndex {
  private readonly indexed = new Map<string, Contact>();
  private pending: PendingChange[] = [];

  changed(contact: Contact, at: Date): void {
    this.pending.push({ contact, changedAt: at.getTime() });
  }

  /** Contacts that search finds now, oldest first. */
  visible(now: Date, lagMs: number): Iterable<Contact> {
    const settled = now.getTime() - lagMs;
    const later = this.pending.findIndex((change) => change.changedAt > settled);
    const due = later === -1 ? this.pending.length : later;
    for (const { contact } of this.pending.slice(0, due)) this.indexed.set(contact.id, contact);
    this.pending = this.pending.slice(due);
    return this.indexed.values();
  }
}
