import type { AccountChange, AccountData, ShownRecord } from '../control/imitated-provider';
import type { Conditions, Fields, RestObject, RestRecord } from './rest-style';

/** Ids over all accounts of a provider; none is given twice. */
export class SerialIds {
  private serial = 0;

  constructor(private readonly toId: (serial: number) => string) {}

  next(): string {
    this.serial += 1;
    return this.toId(this.serial);
  }

  /** Ids up to this one are in use. */
  skipPast(id: string): void {
    // Ids grow with their serial, so the search ends at the one that was made last.
    for (let ahead = 1; ahead <= 100_000; ahead += 1) {
      if (this.toId(this.serial + ahead) === id) {
        this.serial += ahead;
        return;
      }
    }
  }
}

interface RestChange extends AccountChange {
  readonly record?: RestRecord;
}

/** A record with what it was before its last change: search may lag by one. */
interface Kept {
  readonly record: RestRecord;
  readonly before: RestRecord | undefined;
}

const comparable = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.trim().toLowerCase();
};

/** The records of one account. */
export class RestData implements AccountData {
  private readonly records = new Map<string, Kept>();
  private changes: RestChange[] = [];

  constructor(
    private readonly types: readonly RestObject[],
    private readonly ids: SerialIds,
  ) {}

  create(object: string, fields: Fields, at: Date): RestRecord {
    const moment = at.toISOString();
    return this.write({ id: this.ids.next(), object, fields, createdAt: moment, updatedAt: moment });
  }

  update(record: RestRecord, fields: Fields, at: Date): RestRecord {
    return this.write({ ...record, fields: { ...record.fields, ...fields }, updatedAt: at.toISOString() });
  }

  find(object: string, id: string): RestRecord | undefined {
    const record = this.records.get(id)?.record;
    return record?.object === object ? record : undefined;
  }

  /** The record that has this value of a unique field already. */
  conflict({ name, unique }: RestObject, fields: Fields, ownId?: string): RestRecord | undefined {
    const value = unique === undefined ? '' : comparable(fields[unique]);
    if (unique === undefined || value === '') return undefined;
    return this.all(name).find((record) => record.id !== ownId && comparable(record.fields[unique]) === value);
  }

  /** Oldest first, as they were `lagMs` ago. Alike: a value that contains every word. */
  search(
    object: string,
    conditions: Conditions,
    how: { readonly isAlike: boolean; readonly settled: string },
  ): RestRecord[] {
    const isMet = ({ fields }: RestRecord) =>
      conditions.every(([name, value]) => {
        const held = comparable(fields[name]);
        return how.isAlike
          ? comparable(value)
              .split(/\s+/)
              .every((word) => held.includes(word))
          : held === comparable(value);
      });
    return [...this.records.values()]
      .map(({ record, before }) => (record.updatedAt <= how.settled ? record : before))
      .filter((record) => record !== undefined)
      .filter((record) => record.object === object && isMet(record));
  }

  takeChanges(): readonly AccountChange[] {
    const taken = this.changes;
    this.changes = [];
    return taken;
  }

  fieldsOf({ record }: RestChange): Fields {
    return record?.fields ?? {};
  }

  restore({ record }: RestChange): void {
    if (record === undefined) return;
    this.ids.skipPast(record.id);
    this.keep(record);
  }

  clear(): void {
    this.records.clear();
    this.changes = [];
  }

  objects(): readonly string[] {
    return this.types.map(({ name }) => name);
  }

  list(object: string): readonly ShownRecord[] | undefined {
    if (!this.objects().includes(object)) return undefined;
    return this.all(object).map(({ id, fields, createdAt, updatedAt }) => ({ id, createdAt, updatedAt, fields }));
  }

  private all(object: string): RestRecord[] {
    return [...this.records.values()].map(({ record }) => record).filter((record) => record.object === object);
  }

  private write(record: RestRecord): RestRecord {
    this.keep(record);
    this.changes.push({ recordId: record.id, record });
    return record;
  }

  private keep(record: RestRecord): void {
    this.records.set(record.id, { record, before: this.records.get(record.id)?.record });
  }
}
