import { DefectError } from '@sluice/errors';

/** A row as the driver returns it. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** One member of a resource: the column that it is stored in, and how its value is read from that column and written to it. */
export interface Member<Value> {
  readonly column: string;
  /** Never called with null: a member without a value is absent. */
  read(stored: unknown): Value;
  write(value: Value): unknown;
  /** Whether a row without it is a defect: what is shown to callers requires it. @default false */
  readonly isRequired?: boolean;
}

type Members = Readonly<Record<string, Member<unknown>>>;
type ValueOf<M> = M extends Member<infer Value> ? Value : never;
type OptionalNames<Of extends Members> = {
  [Name in keyof Of]: undefined extends ValueOf<Of[Name]> ? Name : never;
}[keyof Of];
type Shown<Of> = { readonly [Name in keyof Of]: ValueOf<Of[Name]> };

/** The resource that a table of members describes; each member keeps its description. */
export type Resource<Of extends Members> = Shown<Pick<Of, Exclude<keyof Of, OptionalNames<Of>>>> &
  Partial<Shown<Pick<Of, OptionalNames<Of>>>>;

/** Values to be stored. What is absent is left as it is, null clears it. */
type Values<Of extends Members> = { readonly [Name in keyof Of]?: ValueOf<Of[Name]> | null };

/** The columns of a resource: the one list from which it is selected, read and written. */
export interface Table<Of extends Members> {
  /** For a select, or what `returning` returns. */
  readonly columns: string[];
  /** The same of rows that stand as `alias`, each column named `<alias>_<column>`; `readAs` reads them. */
  readonly aliased: (alias: string) => string[];
  readonly read: (row: StoredRow) => Resource<Of>;
  /** Of what a statement returns for a key. */
  readonly first: (rows: readonly StoredRow[]) => Resource<Of> | undefined;
  readonly readAs: (alias: string, row: StoredRow) => Resource<Of>;
  /** The columns of an insert or an update. A member that the table does not have is passed over. */
  readonly write: (values: Values<Of>) => Record<string, unknown>;
}

/** The order of the members is the order in which a resource shows them. */
export function table<Of extends Members>(members: Of): Table<Of> {
  const entries = Object.entries(members);
  const columns = [...new Set(entries.map(([, { column }]) => column))];
  const readFrom = (row: StoredRow, prefix: string): Resource<Of> => {
    const resource: Record<string, unknown> = {};
    for (const [name, member] of entries) {
      const stored = row[prefix + member.column] ?? undefined;
      if (stored !== undefined) resource[name] = member.read(stored);
      else if (member.isRequired) throw lacking(member.column);
    }
    return resource as Resource<Of>;
  };
  return {
    columns,
    aliased: (alias) => columns.map((column) => `${alias}.${column} as ${alias}_${column}`),
    read: (row) => readFrom(row, ''),
    first: ([row]) => row && readFrom(row, ''),
    readAs: (alias, row) => readFrom(row, `${alias}_`),
    write: (values) => {
      const row: Record<string, unknown> = {};
      for (const [name, member] of entries) {
        const value = values[name];
        if (value !== undefined) row[member.column] = value === null ? null : member.write(value);
      }
      return row;
    },
  };
}

/** Stored as it is shown. */
export function plain(column: string): Member<string>;
export function plain<Value>(column: string): Member<Value>;
export function plain(column: string): Member<unknown> {
  return { column, read: (stored) => stored, write: (value) => value };
}

/** Stored as a text of JSON: `jsonb` refuses `\u0000` and rewrites numbers. */
export function json<Value>(column: string): Member<Value> {
  return { column, read: (text) => JSON.parse(text as string) as Value, write: (value) => JSON.stringify(value) };
}

/** A moment as the API spells it: RFC 3339 in UTC. */
export function moment(column: string): Member<string> {
  return { column, read: (at) => (at as Date).toISOString(), write: (text) => text, isRequired: true };
}

const lacking = (column: string): DefectError =>
  new DefectError({ code: 'service.defect', detail: `A row has no ${column}, which a caller is promised.` });

/** Stored in another form than it is shown in, and only read. */
export function shownAs<Value>(column: string, read: (stored: never) => Value): Member<Value> {
  return { column, read: (stored) => read(stored as never), write: (value) => value };
}

/**
 * SQL of a moment as the API spells it: to the millisecond, cut off as JavaScript does. It is for statements where parsing a date, only to print it
 * again, would cost the process several times as much.
 */
export const momentSql = (at: string): string => `to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A column that may be null: the member is absent then. */
export function optional<Value>(member: Member<Value>): Member<Value | undefined> {
  return { ...member, isRequired: false };
}

/** When a resource was made and last changed. */
export const times = { createTime: moment('created_at'), updateTime: optional(moment('updated_at')) };
