/** One column of rows that travel to Postgres as parallel arrays. */
export interface Column<Row> {
  readonly name: string;
  /** `json`: texts of JSON, which arrive as `text`. They travel as one text, which neither side has to escape. */
  readonly type: 'text' | 'integer' | 'bigint' | 'boolean' | 'float8' | 'json';
  readonly value: (row: Row) => string | number | boolean | null | undefined;
}

/** SQL that stands for the rows, with its bindings: one array per column, so the text is the same for any count. */
export interface RowSource {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/** Stands between texts of JSON. A control character, which JSON can only hold escaped. */
const jsonSeparator = '\x1f';

/**
 * `unnest(…) with ordinality as alias(columns…, ord)`: many rows in one statement with a fixed number of parameters.
 * `ord` counts from 1 in the order of `rows`.
 */
export function rowSource<Row>(alias: string, columns: readonly Column<Row>[], rows: readonly Row[]): RowSource {
  return { sql: rowsSql(alias, columns), bindings: rowBindings(columns, rows) };
}

/** The SQL of a rowSource, for a statement whose text is made once. */
export function rowsSql<Row>(alias: string, columns: readonly Column<Row>[]): string {
  const arrays = columns.map(({ type }) => (type === 'json' ? `string_to_array(?::text, E'\\x1f')` : `?::${type}[]`));
  const names = columns.map(({ name }) => name).join(', ');
  return `unnest(${arrays.join(', ')}) with ordinality as ${alias}(${names}, ord)`;
}

/** The bindings of a rowSource: one per column. */
export function rowBindings<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly unknown[] {
  return columns.map(({ type, value }) => {
    const values = rows.map((row) => value(row) ?? null);
    return type === 'json' ? values.join(jsonSeparator) : values;
  });
}

/** Shorthand for a column that is read from a member of the row. */
export function column<Row>(name: string, type: Column<Row>['type'], value: Column<Row>['value']): Column<Row> {
  return { name, type, value };
}
