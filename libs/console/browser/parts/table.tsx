import type { ComponentChildren } from 'preact';

/** A column of a table, and where its value stands on the card that a row is on a phone. */
export interface Column<Row> {
  /** Empty above what can be done with a row. */
  readonly title: string;
  /** Shown where the pointer rests on the title. */
  readonly meaning?: string;
  /** `narrow` holds a figure, `middle` a badge or a moment, `wide` a name; what is left is shared by the `rest`. @default rest */
  readonly width?: 'narrow' | 'middle' | 'wide' | 'rest';
  /**
   * On a phone: `name` is first on the first line, `badge` last on it; `line` is on the second line, where several stand side by side;
   * `aside` is last on that; `none` is hidden. @default line
   */
  readonly phone?: 'name' | 'badge' | 'line' | 'aside' | 'none';
  /** `number` aligns at the end; `answer` may be several lines high. */
  readonly class?: string;
  /** Shown where the pointer rests on the value. @default the text, where it is cut off */
  readonly tip?: (row: Row) => string;
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableOptions<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Of the table, beside `cards`. */
  readonly class?: string;
  /** What the table shows, for who hears it. */
  readonly caption?: string;
  /** One link or button of each row, with the class `whole-row`, takes the clicks of all of it. */
  readonly isClickable?: boolean;
  /** What stands below an open row. */
  readonly below?: (row: Row) => ComponentChildren;
}

/** A table as wide as the page, each cell one line; on a phone a card for each row. */
export function Table<Row>({ columns, rows, keyOf, class: kind, caption, isClickable, below }: TableOptions<Row>) {
  const lines = columns.filter(({ phone = 'line', class: of = '' }) => phone === 'line' && !of.includes('answer'));
  return (
    <div class="scroll">
      <table class={classOf(`cards lines-${Math.min(lines.length, 3)}`, kind)} onPointerOver={showCutText}>
        {caption === undefined ? null : <caption class="hidden">{caption}</caption>}
        <thead>
          <tr>
            {columns.map(({ title, meaning, width, class: of }) => (
              <th key={title} class={classOf(width, of)} title={meaning}>
                {title === '' ? <span class="hidden">What can be done</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.flatMap((row) => {
            const key = keyOf(row);
            const more = below?.(row) ?? null;
            return [
              <tr key={key} class={isClickable === true ? 'clickable' : undefined}>
                {columns.map(({ title, class: of, phone = 'line', tip, cell }) => (
                  <td key={title} class={classOf(`on-${phone}`, of)} title={tip?.(row)}>
                    {cell(row)}
                  </td>
                ))}
              </tr>,
              more === null ? null : (
                <tr key={`${key} below`} class="explained">
                  <td colSpan={columns.length}>{more}</td>
                </tr>
              ),
            ];
          })}
        </tbody>
      </table>
    </div>
  );
}

const classOf = (...names: readonly (string | undefined)[]): string => names.filter(Boolean).join(' ');

/** A text that does not fit its cell is shown in full where the pointer rests on it. */
function showCutText({ target }: PointerEvent): void {
  const cell = (target as Element).closest('td');
  if (cell === null || (cell.title !== '' && cell.dataset['cut'] === undefined)) return;
  const isCut = [cell, ...cell.querySelectorAll('*')].some(
    ({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth,
  );
  // A list draws itself again: what was cut may have become another text.
  cell.dataset['cut'] = '';
  cell.title = isCut ? cell.innerText : '';
}
