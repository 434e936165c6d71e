/** One column of rows that travel to Postgres as parallel arrays. */
export interface Column<Row> {
  readonly name: string;
  /** `json`: texts of JSON, which arrive as `text`. They travel as one text, which neither side has to escape. */
  readonly type: 'text' | 'integer' | 'bigint' | 'boolean' | 'float8' | 'json';
  readonly value: (row: Row) => string | number | boolean | null | undefined;
}

/** SQL of the rows, with its bindings: one array per column, so the text is the same for any count. */
export interface RowSource {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/** Separates texts of JSON: a control character, which JSON can only hold escaped. */
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
  return unnested(alias, columns, columns.map(arrayOf));
}

/**
 * The same for a prepared statement. A planner that sees how many rows there are finds a cheaper plan for a few than its guess of ten for any number.
 * So it plans each execution (measured for an accept: 0.5 ms of 0.8). Behind `offset 0` it sees nothing, so the plan is reused.
 */
export function preparedRowsSql<Row>(alias: string, columns: readonly Column<Row>[]): string {
  const given = columns.map((of, at) => `${arrayOf(of)} as a${at}`).join(', ');
  const arrays = columns.map((_, at) => `given_${alias}.a${at}`);
  return `(select ${given} offset 0) as given_${alias} cross join lateral ${unnested(alias, columns, arrays)}`;
}

/** Above this the planner should see how many rows there are, because its guess for a generic plan is ten. */
export const preparedRowsMax = 256;

/**
 * For a transaction whose statements find every row by a key: none is planned as a scan, however small a table is at that moment. `order_queue` is empty now and
 * then, and a prepared plan is kept while it fills. Nor is one planned for the values at hand, which Postgres does at each claim from a full table otherwise.
 */
export const planByKeys = 'set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan';

/** The rows of a statement with a name, however many: it is planned once (`renewPlans`). */
export function preparedRows<Row>(alias: string, columns: readonly Column<Row>[], rows: readonly Row[]): RowSource {
  return { sql: preparedRowsSql(alias, columns), bindings: rowBindings(columns, rows) };
}

/**
 * A constant that the planner does not see. It then finds rows by their key: a partial index on that constant is small when the plan is made,
 * and would be read whole, however much waits later.
 */
export function hiddenFromPlanner(constant: string): string {
  return `(select '${constant}')`;
}

function arrayOf<Row>({ type }: Column<Row>): string {
  return type === 'json' ? `string_to_array(?::text, E'\\x1f')` : `?::${type}[]`;
}

function unnested<Row>(alias: string, columns: readonly Column<Row>[], arrays: readonly string[]): string {
  const names = columns.map(({ name }) => name).join(', ');
  return `unnest(${arrays.join(', ')}) with ordinality as ${alias}(${names}, ord)`;
}

/** The bindings of a rowSource: one text per column. */
export function rowBindings<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly string[] {
  return columns.map((of) => (of.type === 'json' ? jsonTexts(of, rows) : arrayLiteral(of, rows)));
}

function jsonTexts<Row>({ value }: Column<Row>, rows: readonly Row[]): string {
  return rows.map(value).join(jsonSeparator);
}

const needsEscape = /["\\]/;
const needsQuotes = /^null$|[^\w-]/i;

/** An array of texts as the text that Postgres reads: one array among the rows of a column. Null: all are, which says as much. */
export function textArray(elements: readonly (string | null | undefined)[]): string | null {
  if (elements.every((element) => element === null || element === undefined)) return null;
  const texts = elements.map((element) => {
    if (element === null || element === undefined) return 'NULL';
    return element === '' || needsQuotes.test(element) ? quoted(element) : element;
  });
  return `{${texts.join(',')}}`;
}

/**
 * An array as Postgres reads it. Made here, because the driver takes two passes of regular expressions over each element,
 * and most of our elements are ids. Source: https://www.postgresql.org/docs/18/arrays.html#ARRAYS-IO
 */
function arrayLiteral<Row>({ type, value }: Column<Row>, rows: readonly Row[]): string {
  const isQuoted = type === 'text';
  let literal = '';
  for (const row of rows) {
    const element = value(row) ?? null;
    if (literal !== '') literal += ',';
    if (element === null) literal += 'NULL';
    else literal += isQuoted ? quoted(String(element)) : String(element);
  }
  return `{${literal}}`;
}

function quoted(text: string): string {
  return `"${needsEscape.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`;
}

/** Shorthand for a column that is read from a member of the row. */
export function column<Row>(name: string, type: Column<Row>['type'], value: Column<Row>['value']): Column<Row> {
  return { name, type, value };
}
