import type { FieldValue, ObjectDefinition } from './field-definition';
import { objectDefinitions } from './object-definitions';
import { PersonIndex } from './person-index';
import type { RecordIds } from './record-ids';
import type { StoredRecord } from './record-values';
import { UniqueIndex } from './unique-index';

type Values = Readonly<Record<string, FieldValue>>;

/**
 * The records of one org. Values arrive checked, in canonical names; `null` clears a field.
 * A call that must be undone is run in `tryAll`; everything else takes effect at once, as SOQL sees committed data.
 */
export class RecordStore {
  private readonly records = new Map<string, StoredRecord>();
  private readonly numbers = new Map<string, number>(objectDefinitions.map(({ name }) => [name, 0]));
  private readonly uniques = new UniqueIndex();
  private readonly people = new PersonIndex();
  private changes: StoredRecord[] = [];
  /** Records as they were before the call in hand touched them; only while `tryAll` runs. */
  private touched: Map<string, StoredRecord | undefined> | undefined;

  constructor(private readonly ids: RecordIds) {}

  create(object: ObjectDefinition, values: Values, at: Date): StoredRecord {
    const number = (this.numbers.get(object.name) ?? 0) + 1;
    this.numbers.set(object.name, number);
    const moment = at.toISOString();
    return this.write({
      id: this.ids.next(object.keyPrefix),
      type: object.name,
      number,
      fields: withoutNulls(values),
      createdAt: moment,
      updatedAt: moment,
      isDeleted: false,
    });
  }

  /** Replaces `current` by its updated self. A field outside `values` stays. */
  update(current: StoredRecord, values: Values, at: Date): StoredRecord {
    const fields = withoutNulls({ ...current.fields, ...values });
    return this.write({ ...current, fields, updatedAt: at.toISOString() });
  }

  /** Moves a record to the recycle bin. */
  remove(current: StoredRecord, at: Date): StoredRecord {
    return this.write({ ...current, updatedAt: at.toISOString(), isDeleted: true });
  }

  /** By the 18-character id, deleted records included. */
  find(id: string): StoredRecord | undefined {
    return this.records.get(id);
  }

  /** The live record that has this value of a unique field. */
  findByUnique(type: string, field: string, value: FieldValue): StoredRecord | undefined {
    const id = this.uniques.idOf(type, field, value);
    return id === undefined ? undefined : this.records.get(id);
  }

  /** Live people that the duplicate rule takes for the one with these values. */
  findAlike(type: string, values: Values): readonly StoredRecord[] {
    return this.people.idsLike(type, values).flatMap((id) => this.records.get(id) ?? []);
  }

  /** Records of an object in the order of their creation, deleted ones included. */
  all(type: string): StoredRecord[] {
    return [...this.records.values()].filter((record) => record.type === type);
  }

  /**
   * Runs `work` and puts every record back as it was when it fails or does not want to keep what it did. Ids and
   * auto-numbers that were given stay used, as in Salesforce.
   */
  tryAll<T>(work: () => { readonly keep: boolean; readonly result: T }): T {
    const before = this.changes;
    const touched = new Map<string, StoredRecord | undefined>();
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

  /** Records written since the last call of this method, in order: what a call really did. */
  takeChanges(): readonly StoredRecord[] {
    const taken = this.changes;
    this.changes = [];
    return taken;
  }

  /** Puts in a record that a journal remembers, or that an org has from the beginning. It does not count as a change. */
  restore(record: StoredRecord): void {
    this.ids.skipPast(record.id);
    this.numbers.set(record.type, Math.max(record.number, this.numbers.get(record.type) ?? 0));
    this.replace(record.id, record);
  }

  private write(record: StoredRecord): StoredRecord {
    const { touched } = this;
    if (touched && !touched.has(record.id)) touched.set(record.id, this.records.get(record.id));
    this.replace(record.id, record);
    this.changes.push(record);
    return record;
  }

  private replace(id: string, record: StoredRecord | undefined): void {
    const before = this.records.get(id);
    this.uniques.replace(before, record);
    this.people.replace(before, record);
    if (record) this.records.set(id, record);
    else this.records.delete(id);
  }
}

function withoutNulls(values: Values): Record<string, FieldValue> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
