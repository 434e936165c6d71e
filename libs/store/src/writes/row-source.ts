/** One column of rows that travel to Postgres as parallel arrays. */
export interface Column<Row> {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'bigint' | 'boolean' | 'float8';
  readonly value: (row: Row) => string | number | boolean | null | undefined;
}

/** SQL that stands for the rows, with its bindings: one array per column, so the text is the same for any count. */
export interface RowSource {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/**
 * `unnest(…) with ordinality as alias(columns…, ord)`: many rows in one statement with a fixed number of parameters.
 * `ord` counts from 1 in the order of `rows`.
 */
export function rowSource<Row>(alias: string, columns: readonly Column<Row>[], rows: readonly Row[]): RowSource {
  const arrays = columns.map(({ type }) => `?::${type}[]`).join(', ');
  const names = columns.map(({ name }) => name).join(', ');
  return {
    sql: `unnest(${arrays}) with ordinality as ${alias}(${names}, ord)`,
    bindings: columns.map(({ value }) => rows.map((row) => value(row) ?? null)),
  };
}

/** Shorthand for a column that is read from a member of the row. */
export function column<Row>(name: string, type: Column<Row>['type'], value: Column<Row>['value']): Column<Row> {
  return { name, type, value };
}
