import type { ShownRecord } from '../control/imitated-provider';
import { RecordStore, type RecordIds, type StoredRecord } from '../crm/record-store';
import { membersOf } from './read-json';
import type { Conditions, RestObject, RestRecord } from './rest-style';

/** Ids over all accounts of a provider; none is given twice. */
export class SerialIds implements RecordIds {
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

const comparable = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value ?? '')).trim().toLowerCase();

/** Of a list or an object with `value`, as addresses are, each of them. */
const valuesOf = (held: unknown): string[] =>
  (Array.isArray(held) ? held : [held]).map((one: unknown) => comparable(membersOf(one)?.['value'] ?? one));

/** The records of one account. */
export class RestData extends RecordStore<unknown> {
  /** Each record before its last change: search may lag by one. */
  private readonly before = new Map<string, RestRecord | undefined>();

  constructor(
    private readonly types: readonly RestObject[],
    ids: RecordIds,
  ) {
    super(ids);
  }

  objects(): readonly string[] {
    return this.types.map(({ name }) => name);
  }

  findOf(object: string, id: string): RestRecord | undefined {
    const record = this.find(id);
    return record?.type === object ? record : undefined;
  }

  /** Oldest first, as they were at `settled`. Alike: a value that contains every word. */
  search(
    object: string,
    conditions: Conditions,
    how: { readonly isAlike: boolean; readonly settled: string },
  ): RestRecord[] {
    const isMet = ({ fields }: RestRecord) =>
      conditions.every(([name, value]) => {
        const wanted = comparable(value);
        return valuesOf(fields[name]).some((held) =>
          how.isAlike ? wanted.split(/\s+/).every((word) => held.includes(word)) : held === wanted,
        );
      });
    return this.all(object)
      .flatMap((record) => (record.updatedAt <= how.settled ? record : (this.before.get(record.id) ?? [])))
      .filter(isMet);
  }

  protected findType(object: string): string | undefined {
    return this.objects().find((name) => name === object);
  }

  protected uniqueFields(type: string): readonly string[] {
    return this.types.flatMap(({ name, unique }) => (name === type && unique !== undefined ? [unique] : []));
  }

  protected comparable(value: unknown): string {
    return comparable(value);
  }

  protected shown({ id, fields, createdAt, updatedAt }: RestRecord): ShownRecord {
    return { id, createdAt, updatedAt, fields };
  }

  protected override replace(id: string, record: StoredRecord<unknown> | undefined): void {
    this.before.set(id, this.find(id));
    super.replace(id, record);
  }
}
