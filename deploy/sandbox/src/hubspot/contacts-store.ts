import type { Contact, StoredAssociation } from './contact';
import { uniqueProperties } from './property-definitions';
import type { RecordIds } from './record-ids';
import { SearchIndex } from './search-index';

/** A unique property whose value another contact already has. */
export interface UniqueConflict {
  readonly property: string;
  readonly existing: Contact;
}

const comparable = (value: string): string => value.trim().toLowerCase();

/**
 * The contacts of one account. Values arrive checked; `''` clears a property.
 * Keeps one rule itself: no two contacts share a value of a unique property (email first).
 */
export class ContactsStore {
  readonly searchIndex = new SearchIndex();
  private readonly contacts = new Map<string, Contact>();
  private readonly idsByValue = new Map<string, Map<string, string>>(uniqueProperties.map((name) => [name, new Map()]));
  private changes: Contact[] = [];

  constructor(private readonly ids: RecordIds) {}

  create(values: Readonly<Record<string, string>>, at: Date, associations?: readonly StoredAssociation[]): Contact {
    const properties = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
    const contact: Contact = { id: this.ids.next(), properties, createdAt: at, updatedAt: at };
    return this.keep(associations?.length ? { ...contact, associations } : contact);
  }

  /** Replaces `current` by its updated self. A property outside `values` stays. */
  update(current: Contact, values: Readonly<Record<string, string>>, at: Date): Contact {
    const merged = Object.entries({ ...current.properties, ...values }).filter(([, value]) => value !== '');
    return this.keep({ ...current, properties: Object.fromEntries(merged), updatedAt: at });
  }

  find(id: string): Contact | undefined {
    return this.contacts.get(id);
  }

  findByUnique(property: string, value: string): Contact | undefined {
    const id = this.idsByValue.get(property)?.get(comparable(value));
    return id === undefined ? undefined : this.contacts.get(id);
  }

  /** The first unique value that belongs to another contact than `ownId`. */
  conflict(values: Readonly<Record<string, string>>, ownId?: string): UniqueConflict | undefined {
    for (const property of uniqueProperties) {
      const value = values[property];
      const existing = value ? this.findByUnique(property, value) : undefined;
      if (existing && existing.id !== ownId) return { property, existing };
    }
    return undefined;
  }

  all(): Iterable<Contact> {
    return this.contacts.values();
  }

  /** Puts back a contact that a journal remembers. It does not count as a change. */
  restore(contact: Contact): void {
    this.ids.skipPast(contact.id);
    this.keep(contact);
    this.changes = [];
  }

  /** Contacts written since the last call of this method, in order: what a call really did. */
  takeChanges(): readonly Contact[] {
    const taken = this.changes;
    this.changes = [];
    return taken;
  }

  private keep(contact: Contact): Contact {
    this.reindexUnique(this.contacts.get(contact.id), contact);
    this.contacts.set(contact.id, contact);
    this.searchIndex.changed(contact, contact.updatedAt);
    this.changes.push(contact);
    return contact;
  }

  private reindexUnique(before: Contact | undefined, after: Contact): void {
    for (const [property, ids] of this.idsByValue) {
      const old = before?.properties[property];
      const value = after.properties[property];
      if (old) ids.delete(comparable(old));
      if (value) ids.set(comparable(value), after.id);
    }
  }
}
