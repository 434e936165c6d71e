import type { CrmRecord } from './crm-record';
import type { ObjectType } from './objects/object-type';

/** A unique property whose value another record already has. */
interface UniqueConflict {
  readonly property: string;
  readonly existing: CrmRecord;
}

/** Told of every record that is written, in order. */
type RecordWritten = (type: ObjectType, record: CrmRecord) => void;

const comparable = (value: string): string => value.trim().toLowerCase();

/**
 * The records of one object in one account. Values arrive checked; `''` clears a property.
 * Keeps one rule itself: no two live records share a value of a unique property (of contacts, email first).
 */
export class RecordsStore {
  readonly searchIndex = new SearchIndex();
  private readonly records = new Map<string, CrmRecord>();
  private readonly idsByValue: ReadonlyMap<string, Map<string, string>>;

  constructor(
    readonly type: ObjectType,
    private readonly ids: RecordIds,
    private readonly written: RecordWritten,
  ) {
    this.idsByValue = new Map(type.unique.map((name) => [name, new Map()]));
  }

  create(values: Readonly<Record<string, string>>, at: Date): CrmRecord {
    const properties = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
    return this.write({ id: this.ids.next(), properties, createdAt: at, updatedAt: at });
  }

  /** Replaces `current` by its updated self. A property outside `values` stays. */
  update(current: CrmRecord, values: Readonly<Record<string, string>>, at: Date): CrmRecord {
    const merged = Object.entries({ ...current.properties, ...values }).filter(([, value]) => value !== '');
    return this.write({ ...current, properties: Object.fromEntries(merged), updatedAt: at });
  }

  /** Hides a record from everything but a read that asks for archived ones; its unique values are free again. */
  archive(current: CrmRecord, at: Date): CrmRecord {
    return this.write({ ...current, updatedAt: at, archivedAt: at });
  }

  /**
   * Lets `primary` take over what it lacks and what is unique to `other`, which then stands for it under its own id.
   * @returns the new primary
   */
  merge(primary: CrmRecord, other: CrmRecord, at: Date): CrmRecord {
    this.write({ ...other, updatedAt: at, archivedAt: at, mergedInto: primary.id });
    return this.update(primary, { ...other.properties, ...primary.properties }, at);
  }

  /** A live record, also under an id that was merged into it. */
  find(id: string): CrmRecord | undefined {
    const record = this.records.get(id);
    if (record?.mergedInto !== undefined) return this.find(record.mergedInto);
    return record?.archivedAt ? undefined : record;
  }

  findArchived(id: string): CrmRecord | undefined {
    const record = this.records.get(id);
    return record?.archivedAt && record.mergedInto === undefined ? record : undefined;
  }

  findByUnique(property: string, value: string): CrmRecord | undefined {
    const id = this.idsByValue.get(property)?.get(comparable(value));
    return id === undefined ? undefined : this.records.get(id);
  }

  /** The first unique value that belongs to another record than `ownId`. */
  conflict(values: Readonly<Record<string, string>>, ownId?: string): UniqueConflict | undefined {
    for (const property of this.type.unique) {
      const value = values[property];
      const existing = value ? this.findByUnique(property, value) : undefined;
      if (existing && existing.id !== ownId) return { property, existing };
    }
    return undefined;
  }

  /** Live records, oldest first. */
  all(): CrmRecord[] {
    return [...this.records.values()].filter((record) => !record.archivedAt);
  }

  /** Puts back a record that a journal remembers; nobody is told. */
  restore(record: CrmRecord): void {
    this.ids.skipPast(record.id);
    this.keep(record);
  }

  private write(record: CrmRecord): CrmRecord {
    this.keep(record);
    this.written(this.type, record);
    return record;
  }

  private keep(record: CrmRecord): void {
    this.reindexUnique(this.records.get(record.id), record);
    this.records.set(record.id, record);
    this.searchIndex.changed(record, record.updatedAt);
  }

  private reindexUnique(before: CrmRecord | undefined, after: CrmRecord): void {
    for (const [property, ids] of this.idsByValue) {
      const old = before?.properties[property];
      const value = after.archivedAt ? undefined : after.properties[property];
      if (old) ids.delete(comparable(old));
      if (value) ids.set(comparable(value), after.id);
    }
  }
}

interface PendingChange {
  readonly record: CrmRecord;
  readonly changedAt: number;
}

/**
 * What search sees: the records as they were `lagMs` ago. Reads by id and batch reads do not go through it.
 * Source: docs/contributing/providers.md, A5, index lag.
 */
class SearchIndex {
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

/** Ids of new contacts in HubSpot today have twelve digits and begin about here. */
const FIRST_ID = 171_590_000_000;

/** Largest gap between two ids. Ids of one account are not consecutive, so that no test may rely on it. */
const LARGEST_STEP = 997;

/**
 * Gives record ids: decimal strings, growing, with uneven gaps. The same calls give the same ids on every run.
 */
export class RecordIds {
  private last = FIRST_ID;
  private state = 1;

  next(): string {
    // A full-period congruential generator (Numerical Recipes constants): spread is enough here, quality is not.
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    this.last += 1 + (this.state % LARGEST_STEP);
    return String(this.last);
  }

  /** Makes sure that `id` is never given again. Needed after records were loaded from a journal. */
  skipPast(id: string): void {
    this.last = Math.max(this.last, Number(id));
  }
}
