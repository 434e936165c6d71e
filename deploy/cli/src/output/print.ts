export { clockTime, counted, grouped } from '@sluice/types';

/** One JSON document for scripts, or text for people. */
export function print({ json }: { readonly json?: boolean }, document: unknown, text: () => string): void {
  process.stdout.write(`${json === true ? JSON.stringify(document, null, 2) : text().trimEnd()}\n`);
}

/** A moment as people read it, in UTC like every moment of the API. */
export function shortTime(moment: string | undefined): string {
  return moment === undefined ? '-' : moment.slice(0, 19).replace('T', ' ');
}

/** A column: its title, and what it shows of a row. */
export type Column<Row> = readonly [title: string, show: (row: Row) => string];

/** Rows under their titles, as wide as they need; `empty` when there is none. */
export function renderTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty: string): string {
  if (rows.length === 0) return empty;
  const cells = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, show]) => plain(show(row))))];
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

/** Names and values under each other, indented as they nest. */
export function renderFields(fields: readonly (readonly [name: string, value: string | undefined])[]): string {
  const shown = fields.filter(([, value]) => value !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${plain(value ?? '')}`).join('\n');
}

/** Characters of a sentence in a list. Our choice: with the columns before it a line has 160. */
const sentenceMax = 80;

/** The beginning of a sentence that is all there in the document, as `describe` or `--json` show it. */
export function shortened(sentence: string): string {
  return sentence.length > sentenceMax ? `${sentence.slice(0, sentenceMax - 1)}…` : sentence;
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)));
}

/** Letters as a reader counts them; a combining accent has no width. */
function widthOf(text: string): number {
  return [...new Intl.Segmenter().segment(text)].length;
}

/** What others named may hold line breaks or a terminal's control sequences. */
export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
