import { grouped } from '@sluice/types';

export { clockTime, pluralize, grouped } from '@sluice/types';

/** One JSON document for scripts, or text for people. */
export function print({ json }: { readonly json?: boolean }, document: unknown, text: () => string): void {
  process.stdout.write(`${json === true ? jsonOf(document, 2) : text().trimEnd()}\n`);
}

/** A document as JSON. Scripts read the same values; on a screen nothing of it turns text around, is not seen or controls the terminal. */
export function jsonOf(document: unknown, indent?: number): string {
  const escaped = (one: string) =>
    Array.from({ length: one.length }, (_, at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
  // Outside of texts there is none but the line ends of the indentation.
  return (JSON.stringify(document, null, indent) ?? 'null').replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

/** A sentence on standard error, about an output that a script keeps. @returns the output */
export function beside(sentence: string, output: string): string {
  process.stderr.write(`${sentence}\n`);
  return output;
}

/** A moment as people read it, in UTC like every moment of the API. */
export function shortTime(moment: string | undefined): string {
  return moment === undefined ? '-' : moment.slice(0, 19).replace('T', ' ');
}

/** Members of a document that show as they are. */
type Member<Row> = {
  [Name in keyof Row]-?: Row[Name] extends string | number | readonly string[] | undefined ? Name : never;
}[keyof Row] &
  string;

/** A column of a table or a line of a description: a member, `createTime` as `created`; or a title, with a member or what it shows. */
export type Column<Row> =
  Member<Row> | readonly [title: string, show: Member<Row> | ((row: Row) => string | undefined)];

/** Characters of a cell, but of the last one of a line. Our choice: an id has 36, and a name of a customer rarely more. */
const cellMax = 40;

/** Rows under their titles, as wide as they need, with long names cut; `empty` when there is none. */
export function renderTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty: string): string {
  if (rows.length === 0) return empty;
  const titles = columns.map((column) => titleOf(column).toUpperCase());
  const lines = rows.map((row) =>
    columns.map((column, at) => {
      const cell = plain(show(row, column) ?? '-');
      return at === columns.length - 1 ? cell : cut(cell, cellMax);
    }),
  );
  const cells = [titles, ...lines];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => widthOf(line[at] ?? ''))));
  return cells
    .map((line) =>
      line
        .map((cell, at) => pad(cell, widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `renderTable` of rows that come later. */
export function table<Row>(empty: string, columns: readonly Column<Row>[]): (rows: readonly Row[]) => string {
  return (rows) => renderTable(rows, columns, empty);
}

/** Names and values under each other, without those that are absent. */
export function fields<Row>(columns: readonly Column<Row>[]): (document: Row) => string {
  return (document) => {
    const shown = columns.flatMap((column) => {
      const value = show(document, column);
      return value === undefined ? [] : [[titleOf(column), plain(value)] as const];
    });
    const width = Math.max(...shown.map(([name]) => name.length));
    return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
  };
}

function titleOf<Row>(column: Column<Row>): string {
  if (typeof column !== 'string') return column[0];
  return column.replace(/eTime$/, 'ed').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function show<Row>(row: Row, column: Column<Row>): string | undefined {
  const shown = typeof column === 'string' ? column : column[1];
  if (typeof shown === 'function') return shown(row);
  const value = row[shown] as string | number | readonly string[] | undefined;
  if (typeof value === 'number') return grouped(value);
  if (typeof value === 'string') return /(Time|Since)$/.test(shown) ? shortTime(value) : value;
  return value?.join(', ') || undefined;
}

/** Characters of a sentence in a list. Our choice: with the columns before it a line has 160. */
const sentenceMax = 80;

/** The beginning of a sentence that is all there in the document, as `describe` or `--json` show it. */
export function shortened(sentence: string): string {
  return cut(sentence, sentenceMax);
}

function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const letters = lettersOf(text);
  return letters.length > max ? `${letters.slice(0, max - 1).join('')}…` : text;
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)));
}

/** Letters as a reader counts them; a combining accent has no width. */
function widthOf(text: string): number {
  return lettersOf(text).length;
}

function lettersOf(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

/** What others named may hold line breaks, a terminal's control sequences, or characters that turn what follows around or are not seen: those are escaped. */
export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').replaceAll(/[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (one) => {
    return `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
