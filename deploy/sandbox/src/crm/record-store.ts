import type { AccountChange, AccountData, ShownRecord } from '../control/imitated-provider';

/** A value as it is stored: text for every type but numbers and booleans. HubSpot stores text only. */
export type FieldValue = string | number | boolean | null;

export type Fields<Value = FieldValue> = Readonly<Record<string, Value>>;

/**
 * A stored record. Never changed in place: a write replaces it, so that a rolled back call can restore the old one and a search
 * index may keep old states. Plain JSON, because it goes into the journal as it is.
 */
export interface StoredRecord<Value = FieldValue> {
  readonly id: string;
  /** Name of its object: `contacts`, `Account`. */
  readonly type: string;
  /** Running number within its object, behind an auto-number field. */
  readonly number: number;
  /** What was written and is set; computed fields are added when the record is shown. */
  readonly fields: Fields<Value>;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Archived, or in the recycle bin; `updatedAt` is the moment it happened. */
  readonly isDeleted: boolean;
  /** Id of the record that this one was merged into; such a record is deleted as well. */
  readonly mergedInto?: string;
}

/** Where new records get their ids, shared by all accounts of a provider. */
export interface RecordIds {
  next(type: string): string;
  skipPast(id: string): void;
}

/** A unique field whose value another record already has. */
export interface Conflict<Value> {
  readonly field: string;
  readonly existing: StoredRecord<Value>;
}

/**
 * The records of one account, of all its objects. Values arrive checked, in canonical names; `null` and `''` clear a field.
 * A call that must be undone runs in `tryAll`; everything else takes effect at once.
 */
export abstract class RecordStore<Value = FieldValue> implements AccountData {
  protected changes: AccountChange[] = [];
  private records = new Map<string, StoredRecord<Value>>();
  private idsByKey = new Map<string, Set<string>>();
  private numbers = new Map<string, number>();
  /** Records as they were before the current call touched them; only while `tryAll` runs. */
  private touched: Map<string, StoredRecord<Value> | undefined> | undefined;

  constructor(private readonly ids: RecordIds) {}

  abstract objects(): readonly string[];
  /** Canonical name of an object, from any of its names. */
  protected abstract findType(object: string): string | undefined;
  protected abstract uniqueFields(type: string): readonly string[];
  /** The form in which two values of a unique field are compared. */
  protected abstract comparable(value: Value): string;
  protected abstract shown(record: StoredRecord<Value>): ShownRecord;

  /** @param createdAt what the record states; @default `at` */
  create(type: string, values: Fields<Value>, at: Date, createdAt = at): StoredRecord<Value> {
    const number = (this.numbers.get(type) ?? 0) + 1;
    this.numbers.set(type, number);
    const moments = { createdAt: createdAt.toISOString(), updatedAt: at.toISOString() };
    return this.write({
      id: this.ids.next(type),
      type,
      number,
      fields: withoutEmpty(values),
      ...moments,
      isDeleted: false,
    });
  }

  /** Replaces `current` by its updated self. A field outside `values` stays. */
  update(current: StoredRecord<Value>, values: Fields<Value>, at: Date): StoredRecord<Value> {
    const fields = withoutEmpty({ ...current.fields, ...values });
    return this.write({ ...current, fields, updatedAt: at.toISOString() });
  }

  /** Hides a record from ordinary reads; its unique values are free again. */
  remove(current: StoredRecord<Value>, at: Date, mergedInto?: string): StoredRecord<Value> {
    const merged = mergedInto === undefined ? {} : { mergedInto };
    return this.write({ ...current, updatedAt: at.toISOString(), isDeleted: true, ...merged });
  }

  /** By id, deleted records included. */
  find(id: string): StoredRecord<Value> | undefined {
    return this.records.get(id);
  }

  /** A live record, also under an id that was merged into it. */
  findLive(id: string): StoredRecord<Value> | undefined {
    const record = this.records.get(id);
    if (record?.mergedInto !== undefined) return this.findLive(record.mergedInto);
    return record?.isDeleted ? undefined : record;
  }

  /** The live record that has this value of a unique field. */
  findByUnique(type: string, field: string, value: Value): StoredRecord<Value> | undefined {
    return this.findByKey(this.uniqueKey(type, field, value))[0];
  }

  /** Unique values that belong to another record than `ownId`, in the order of the fields. */
  conflicts(type: string, values: Fields<Value>, ownId?: string): Conflict<Value>[] {
    return this.uniqueFields(type).flatMap((field) => {
      const value = values[field];
      const existing = value === undefined || isEmpty(value) ? undefined : this.findByUnique(type, field, value);
      return existing && existing.id !== ownId ? [{ field, existing }] : [];
    });
  }

  /** Records of an object in the order of their creation: the live ones, or also those that were deleted. */
  all(type: string, which: 'live' | 'with-deleted' = 'live'): StoredRecord<Value>[] {
    return [...this.records.values()].filter(
      (record) => record.type === type && (which === 'with-deleted' || !record.isDeleted),
    );
  }

  /**
   * Runs `work` and restores every record when it fails or does not want to keep what it did. Ids and auto-numbers that were
   * given stay used.
   */
  tryAll<T>(work: () => { readonly keep: boolean; readonly result: T }): T {
    const before = this.changes;
    const touched = new Map<string, StoredRecord<Value> | undefined>();
    this.changes = [];
    this.touched = touched;
    let isKept = false;
    try {
      const { keep, result } = work();
      isKept = keep;
      return result;
    } finally {
      this.touched = undefined;
      if (!isKept) for (const [id, old] of touched) this.replace(id, old);
      this.changes = isKept ? [...before, ...this.changes] : before;
    }
  }

  takeChanges(): readonly AccountChange[] {
    const taken = this.changes;
    this.changes = [];
    return taken;
  }

  fieldsOf({ record }: AccountChange): Readonly<Record<string, unknown>> {
    return (record as StoredRecord<Value> | undefined)?.fields ?? {};
  }

  restore({ record }: AccountChange): void {
    if (record) this.put(record as StoredRecord<Value>);
  }

  clear(): void {
    this.records = new Map();
    this.idsByKey = new Map();
    this.numbers = new Map();
    this.changes = [];
  }

  list(object: string): readonly ShownRecord[] | undefined {
    const type = this.findType(object);
    return type === undefined ? undefined : this.all(type).map((record) => this.shown(record));
  }

  /** Adds a record that existed before. It does not count as a change. */
  protected put(record: StoredRecord<Value>): void {
    this.ids.skipPast(record.id);
    this.numbers.set(record.type, Math.max(record.number, this.numbers.get(record.type) ?? 0));
    this.replace(record.id, record);
  }

  /** Live records under a key of `keysOf`. */
  protected findByKey(key: string): StoredRecord<Value>[] {
    return [...(this.idsByKey.get(key) ?? [])].flatMap((id) => this.records.get(id) ?? []);
  }

  /** Keys under which a live record is found: its unique values. */
  protected keysOf({ type, fields }: StoredRecord<Value>): string[] {
    return this.uniqueFields(type).flatMap((field) => {
      const value = fields[field];
      return value === undefined ? [] : [this.uniqueKey(type, field, value)];
    });
  }

  protected replace(id: string, record: StoredRecord<Value> | undefined): void {
    const before = this.records.get(id);
    if (before && !before.isDeleted) for (const key of this.keysOf(before)) this.idsByKey.get(key)?.delete(id);
    if (record) this.records.set(id, record);
    else this.records.delete(id);
    if (!record || record.isDeleted) return;
    for (const key of this.keysOf(record)) {
      const ids = this.idsByKey.get(key);
      if (ids) ids.add(id);
      else this.idsByKey.set(key, new Set([id]));
    }
  }

  private write(record: StoredRecord<Value>): StoredRecord<Value> {
    const { touched } = this;
    if (touched && !touched.has(record.id)) touched.set(record.id, this.records.get(record.id));
    this.replace(record.id, record);
    this.changes.push({ recordId: record.id, record });
    return record;
  }

  private uniqueKey(type: string, field: string, value: Value): string {
    return `${type} ${field} ${this.comparable(value)}`;
  }
}

const isEmpty = (value: unknown): boolean => value === null || value === '';

function withoutEmpty<Value>(values: Fields<Value>): Fields<Value> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)));
}
